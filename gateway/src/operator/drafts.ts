import { Again, Draft, DraftList } from '@prelude/contracts'
import { AppError, type Clock, isId, type ServiceCall } from '@prelude/platform'
import { Type } from 'typebox'
import type { DraftsClient, SongsClient } from '../api/clients.ts'
import type { KeyValue } from '../api/key-value/port.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { songIdOf } from '../songs/own-song.ts'
import { audioDocument, holdAudioOfPerson, readAudio, sendAudio } from '../songs/song-audio.ts'

type Deps = {
  calls: ServiceCall
  clock: Clock
  config: GatewayConfig
  drafts: DraftsClient
  kv: KeyValue
  songs: SongsClient
}

/** What a music generator makes for the operator; delivered is what the operator chooses of it. */

const DEFAULT_COUNT = 2

/** Before a body is read. */
const whileOn = ({ config }: Deps) => ({
  access: 'unlocked' as const,
  guard: async (): Promise<void> => {
    if (!config.generator) throw new AppError('generator_off')
  },
})

export const makeDrafts = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/songs/:id/drafts', {
    ...whileOn(deps),
    action: 'make-drafts',
    summary: 'Asks the music generator for drafts of a song, or once more for a part of a draft or of a take',
    refusals: [
      'generator_off',
      'invalid_request',
      'song_not_found',
      'draft_not_found',
      'song_closed',
      'charge_pending',
      'song_not_charged',
      'song_not_ready',
      'draft_not_ready',
      'too_many_drafts',
    ],
    body: Type.Object({
      count: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 4, description: `${DEFAULT_COUNT} if not given` }),
      ),
      again: Type.Optional(Again),
    }),
    bodyOptional: true,
    document: { description: 'With `again` it asks for one, and takes no `count`.' },
    reply: Type.Object({ items: Type.Array(Draft) }),
    status: 201,
    handle: ({ id: callId, params, body: { count, again } }) => {
      if (again && count !== undefined) throw invalid('count', 'must not be given with again')
      if (again && again.fromMs >= again.toMs) throw invalid('again.toMs', 'must be after fromMs')
      return deps.drafts.make({
        params: { songId: songIdOf(params) },
        body: again ? { callId, count: 1, again } : { callId, count: count ?? DEFAULT_COUNT },
      })
    },
  })

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_request', { errors: [{ path, message }] })

export const listDrafts = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/operator/songs/:id/drafts', {
    ...whileOn(deps),
    action: 'list-drafts',
    summary: 'The drafts of a song, newest first',
    refusals: ['generator_off', 'song_not_found', 'invalid_cursor'],
    query: Type.Object(pageQuery),
    reply: DraftList,
    handle: async ({ params, query }) => {
      const wanted = pageOf(query)
      const { id: songId } = await deps.songs.get({ params: { id: songIdOf(params) } })
      return deps.drafts.list({ params: { songId }, query: wanted })
    },
  })

export const draftAudio = (deps: Deps): PublicRoute =>
  publicRoute('GET /api/operator/drafts/:id/audio', {
    ...whileOn(deps),
    action: 'play-draft',
    auditedOnce: true,
    summary: 'The audio of a ready draft, with ranges and conditions',
    refusals: ['generator_off', 'too_many_requests', 'draft_not_found'],
    document: audioDocument,
    handle: async ({ request, reply, params }) => {
      await holdAudioOfPerson(deps, request, reply)
      return sendAudio(reply, await readAudio(deps, request, `/drafts/${draftIdOf(params)}/audio`))
    },
  })

export const removeDraft = (deps: Deps): PublicRoute =>
  publicRoute('DELETE /api/operator/drafts/:id', {
    ...whileOn(deps),
    action: 'remove-draft',
    summary: 'Removes a draft; what the generator still makes of it is thrown away',
    refusals: ['generator_off', 'draft_not_found'],
    status: 204,
    handle: async ({ params }) => {
      await deps.drafts.remove({ params: { id: draftIdOf(params) } })
    },
  })

function draftIdOf({ id = '' }: Readonly<Record<string, string>>): string {
  if (!isId(id)) throw new AppError('draft_not_found')
  return id
}
