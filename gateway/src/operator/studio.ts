import { isTooLong, MAX_INTERNAL_NOTE, NewMadeOfSome, OneOf, readMadeOf, Song } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import { Type } from 'typebox'
import { noteAudit } from '../accounts/access.ts'
import type { SongsClient } from '../api/clients.ts'
import { NO_FIELDS, publicRoute, type PublicRoute } from '../api/public-route.ts'
import { songIdOf } from '../songs/own-song.ts'
import { songView } from '../songs/views.ts'
import { type ConfirmDeps, Confirmed, UNCONFIRMED, withConfirmedAmount } from './confirm-amount.ts'
import { priceCents, Reason, UNLOCKED } from './songs.ts'

type Deps = ConfirmDeps & { songs: SongsClient }

/** What the operator does with a request besides delivering it. */

const REFUSALS = ['song_not_found', 'song_closed', 'charge_pending'] as const

export const startSong = ({ songs }: Deps): PublicRoute =>
  publicRoute('POST /api/operator/songs/:id/start', {
    access: 'unlocked',
    action: 'start-song',
    summary: 'Takes a song into the studio: its owner can no longer change or cancel it',
    refusals: [...REFUSALS, 'song_not_pending', 'song_not_charged'],
    query: Type.Object({ gift: Type.Optional(OneOf('true', 'false')) }),
    ...NO_FIELDS,
    status: 204,
    handle: async ({ request, params, query }) => {
      const gift = query.gift === 'true'
      noteAudit(request, gift ? { detail: 'gift' } : {})
      await songs.start({ params: { id: songIdOf(params) }, body: { gift } })
    },
  })

export const releaseSong = ({ songs }: Deps): PublicRoute =>
  publicRoute('POST /api/operator/songs/:id/release', {
    access: 'unlocked',
    action: 'release-song',
    summary: 'Puts a started song back',
    refusals: ['song_not_found', 'song_not_pending'],
    ...NO_FIELDS,
    status: 204,
    handle: async ({ params }) => {
      await songs.release({ params: { id: songIdOf(params) } })
    },
  })

export const declineSong = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/songs/:id/decline', {
    access: 'unlocked',
    action: 'decline-song',
    summary: 'Declines a request; its credits come back, and its owner gets the reason',
    refusals: [...REFUSALS, ...UNCONFIRMED, 'song_already_ready'],
    body: Type.Object({ reason: Reason, ...Confirmed }),
    reply: Song,
    handle: async ({ request, params, id: callId, body: { reason, password } }) => {
      noteAudit(request, { detail: reason })
      const { songs, config } = deps
      const id = songIdOf(params)
      const song = await songs.get({ params: { id } })
      const cents = song.charge === 'charged' ? priceCents(song) : 0
      const declined = await withConfirmedAmount(deps, request, { id, cents, password }, () =>
        songs.decline({ params: { id }, query: { callId }, body: { reason } }),
      )
      return songView(declined, UNLOCKED, config)
    },
  })

export const writeNote = ({ songs, config }: Deps): PublicRoute =>
  publicRoute('PUT /api/operator/songs/:id/note', {
    access: 'unlocked',
    action: 'write-note',
    summary: 'A note that only the operator sees; empty is none',
    refusals: ['song_not_found', 'invalid_text'],
    body: Type.Object({
      text: Type.String({ description: `at most ${MAX_INTERNAL_NOTE} code points` }),
    }),
    reply: Song,
    handle: async ({ params, body: { text } }) => {
      if (isTooLong(text, MAX_INTERNAL_NOTE)) {
        const message = `must not have more than ${MAX_INTERNAL_NOTE} characters`
        throw new AppError('invalid_request', { errors: [{ path: 'text', message }] })
      }
      return songView(
        await songs.note({ params: { id: songIdOf(params) }, body: { text: text || null } }),
        UNLOCKED,
        config,
      )
    },
  })

export const stateMade = ({ songs, config }: Deps): PublicRoute =>
  publicRoute('PUT /api/operator/songs/:id/made', {
    access: 'unlocked',
    action: 'state-made',
    summary: 'Says how the newest takes were made; a version that is absent stays as it is',
    refusals: ['song_not_found', 'song_closed', 'song_not_ready', 'invalid_text'],
    body: Type.Object({ made: Type.Unknown() }),
    document: { bodies: { 'application/json': Type.Object({ made: NewMadeOfSome }) } },
    reply: Song,
    handle: async ({ params, body }) => {
      const made = readMadeOf(body.made, [1, 2])
      if (typeof made === 'string')
        throw new AppError(made, {
          errors: [{ path: 'made', message: 'must say how each version was made' }],
        })
      return songView(
        await songs.stateMade({ params: { id: songIdOf(params) }, body: { made } }),
        UNLOCKED,
        config,
      )
    },
  })
