import {
  isBlank,
  isTooLong,
  MAX_LYRICS,
  MAX_NOTE,
  MAX_STYLE,
  MAX_TITLE,
  NewNotes,
  Nullable,
  Song,
  SongMarks,
} from '@prelude/contracts'
import { AppError, isId } from '@prelude/platform'
import { Type } from 'typebox'
import { type Caller, personOf } from '../api/caller.ts'
import type { SongsClient } from '../api/clients.ts'
import { NO_FIELDS, publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { assertLyricsAndStyle } from './lyrics-and-style.ts'
import { songView } from './views.ts'

type Deps = { config: GatewayConfig; songs: SongsClient }

/** What the owner of a song can do with it. */

export const cancelSong = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/songs/:id/cancel', {
    access: 'person',
    summary: 'Takes a request back before it is started, or when it is late; its credits come back',
    refusals: ['song_not_found', 'song_closed', 'song_already_ready', 'song_started', 'charge_pending'],
    ...NO_FIELDS,
    reply: Song,
    handle: async ({ request, params, id: callId }) => {
      const caller = personOf(request)
      const { id } = await ownSong(deps, caller, params['id'])
      return songView(await deps.songs.cancel({ params: { id }, query: { callId } }), caller, deps.config)
    },
  })

export const changeSong = (deps: Deps): PublicRoute =>
  publicRoute('PATCH /api/songs/:id', {
    access: 'person',
    summary: 'Other lyrics or style while it is not started; title and marks of the album at any time',
    refusals: [
      'invalid_request',
      'lyrics_and_style_required',
      'text_too_long',
      'invalid_text',
      'song_not_found',
      'song_closed',
      'song_already_ready',
      'song_started',
    ],
    body: Type.Object({
      lyrics: Type.Optional(Type.String({ description: `at most ${MAX_LYRICS} code points` })),
      style: Type.Optional(Type.String({ description: `at most ${MAX_STYLE} code points` })),
      title: Type.Optional(
        Nullable(Type.String({ description: `at most ${MAX_TITLE} code points; blank is none` })),
      ),
      ...SongMarks.properties,
    }),
    reply: Song,
    handle: async ({ request, params, body }) => {
      const { lyrics, style, title, favourite, preferred, archived } = body
      assertLyricsAndStyle({ lyrics, style })
      if (title && isTooLong(title, MAX_TITLE)) throw tooLong('title', MAX_TITLE)
      const caller = personOf(request)
      const { id } = await ownSong(deps, caller, params['id'])
      const changes = {
        ...(lyrics !== undefined && { lyrics }),
        ...(style !== undefined && { style }),
        ...(title !== undefined && { title: title && !isBlank(title) ? title : null }),
        ...(favourite !== undefined && { favourite }),
        ...(preferred !== undefined && { preferred }),
        ...(archived !== undefined && { archived }),
      }
      return songView(await deps.songs.change({ params: { id }, body: changes }), caller, deps.config)
    },
  })

export const askChanges = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/songs/:id/changes', {
    access: 'person',
    summary: 'Asks once for changes of a delivered song, with notes at times of a version',
    refusals: [
      'invalid_request',
      'invalid_text',
      'song_not_found',
      'song_closed',
      'song_not_ready',
      'changes_used',
      'changes_closed',
    ],
    body: Type.Object({ notes: NewNotes }),
    reply: Song,
    handle: async ({ request, params, id: callId, body: { notes } }) => {
      for (const [i, { text }] of notes.entries())
        if (isTooLong(text, MAX_NOTE)) throw tooLong(`notes.${i}.text`, MAX_NOTE)
      const caller = personOf(request)
      const { id } = await ownSong(deps, caller, params['id'])
      const changed = await deps.songs.askChanges({ params: { id }, query: { callId }, body: { notes } })
      return songView(changed, caller, deps.config)
    },
  })

export const acceptSong = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/songs/:id/accept', {
    access: 'person',
    summary: 'Says that a delivered song is as it should be; after the time for changes it counts as said',
    refusals: ['song_not_found', 'song_closed', 'song_not_ready', 'changes_asked'],
    ...NO_FIELDS,
    reply: Song,
    handle: async ({ request, params }) => {
      const caller = personOf(request)
      const { id } = await ownSong(deps, caller, params['id'])
      return songView(await deps.songs.accept({ params: { id } }), caller, deps.config)
    },
  })

export const tooLong = (path: string, most: number): AppError =>
  new AppError('invalid_request', {
    errors: [{ path, message: `must not have more than ${most} characters` }],
  })

export function songIdOf({ id }: { id?: string | undefined }): string {
  if (id === undefined || !isId(id)) throw new AppError('song_not_found')
  return id
}

/** The caller's own; the unlocked operator has other ways. Errors: song_not_found also for other people's. */
export async function ownSong(
  { songs }: { songs: SongsClient },
  { uid }: Caller,
  id: string | undefined,
): Promise<Song> {
  const song = await songs.get({ params: { id: songIdOf({ id }) } })
  if (song.uid !== uid) throw new AppError('song_not_found')
  return song
}
