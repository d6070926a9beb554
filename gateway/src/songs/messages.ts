import { GivenTime, isBlank, isTooLong, MAX_MESSAGE, Page, type Side, SongMessage } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import { personOf } from '../api/caller.ts'
import type { MessagesClient } from '../api/clients.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { type Call, publicRoute, type PublicRoute } from '../api/public-route.ts'
import { ownSong, songIdOf, tooLong } from './own-song.ts'
import { type VisibleDeps, visibleSong } from './songs.ts'

type Deps = VisibleDeps & { messages: MessagesClient }

/** What owner and operator write to each other about a song. */

export const listMessages = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/songs/:id/messages', {
    access: 'person',
    summary: 'What owner and operator wrote about a song, newest first',
    ofOthers: 'read-messages',
    refusals: ['song_not_found', 'invalid_cursor'],
    query: Type.Object(pageQuery),
    reply: Page(SongMessage),
    handle: async ({ request, params, query }) => {
      const wanted = pageOf(query)
      const { id } = await visibleSong(deps, request, params['id'])
      return deps.messages.list({ params: { id }, query: wanted })
    },
  })

const WRITING = {
  refusals: ['invalid_request', 'invalid_text', 'song_not_found', 'messages_closed', 'too_many_messages'],
  body: Type.Object({
    text: Type.String({ description: `at most ${MAX_MESSAGE} code points, not blank` }),
  }),
  reply: SongMessage,
  status: 201,
} as const

export const writeMessage = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/songs/:id/messages', {
    ...WRITING,
    access: 'person',
    summary: 'The owner of a song writes to the operator',
    handle: (call) =>
      write(deps, call, 'owner', async () => ownSong(deps, personOf(call.request), call.params['id'])),
  })

export const writeMessageAsOperator = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/songs/:id/messages', {
    ...WRITING,
    access: 'unlocked',
    action: 'write-message',
    summary: 'Writes to the owner of a song',
    handle: (call) =>
      write(deps, call, 'studio', async () => deps.songs.get({ params: { id: songIdOf(call.params) } })),
  })

/** The answer names the song's owner, with whose account what is kept of it goes; callers do not receive that. */
async function write(
  { messages }: Deps,
  { id: messageId, body: { text } }: Call<unknown, { text: string }>,
  from: Side,
  songOf: () => Promise<{ id: string; uid: string }>,
): Promise<SongMessage & { uid: string }> {
  if (isBlank(text))
    throw new AppError('invalid_request', { errors: [{ path: 'text', message: 'must not be blank' }] })
  if (isTooLong(text, MAX_MESSAGE)) throw tooLong('text', MAX_MESSAGE)
  const { id, uid } = await songOf()
  return { ...(await messages.write({ params: { id, messageId }, body: { from, text } })), uid }
}

const READING = {
  refusals: ['invalid_request', 'song_not_found'],
  body: Type.Object({ before: GivenTime }),
  status: 204,
} as const

export const readMessages = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/songs/:id/messages/read', {
    ...READING,
    access: 'person',
    summary: 'Marks what the operator wrote up to a time as read, inclusive',
    handle: async ({ request, params, body: { before } }) => {
      const { id } = await ownSong(deps, personOf(request), params['id'])
      await deps.messages.read({ params: { id }, body: { by: 'owner', before } })
    },
  })

export const readMessagesAsOperator = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/songs/:id/messages/read', {
    ...READING,
    access: 'unlocked',
    action: 'read-messages',
    summary: 'Marks what the owner wrote up to a time as read, inclusive',
    handle: async ({ params, body: { before } }) => {
      await deps.messages.read({ params: { id: songIdOf(params) }, body: { by: 'studio', before } })
    },
  })
