import {
  FIRST_SONG_PRICE_CENTS,
  MAX_REASON,
  OneOf,
  Page,
  Song,
  Stage,
  StageCounts,
  StatusFilter,
  toCents,
  VISIBLE,
} from '@prelude/contracts'
import { derivedId } from '@prelude/platform'
import { Type } from 'typebox'
import { noteAudit } from '../accounts/access.ts'
import type { SongsClient } from '../api/clients.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { songIdOf } from '../songs/own-song.ts'
import { songView } from '../songs/views.ts'
import { type ConfirmDeps, Confirmed, UNCONFIRMED, withConfirmedAmount } from './confirm-amount.ts'

type Deps = ConfirmDeps & { songs: SongsClient }

export const UNLOCKED = { isUnlocked: true }
/** The operator's reason. */
export const Reason = Type.String({ pattern: VISIBLE, maxLength: MAX_REASON })

export const listAllSongs = ({ songs, config }: Deps): PublicRoute =>
  publicRoute('GET /api/operator/songs', {
    access: 'unlocked',
    action: 'list-songs',
    summary:
      'Songs of all people or of one, newest first. With `stage`: by promised time (`todo` with unpaid ones last), by when changes were asked for, or newest delivery first; its first page counts the songs of all stages. With `unread`: those with messages that the operator has not read',
    refusals: ['operator_only', 'operator_locked', 'invalid_request', 'invalid_cursor'],
    query: Type.Object({
      status: Type.Optional(StatusFilter),
      stage: Type.Optional(Stage),
      uid: Type.Optional(Type.String({ description: "a person's uid" })),
      unread: Type.Optional(OneOf('true')),
      q: Type.Optional(
        Type.String({
          description: 'one phrase in title, lyrics or style, or words of name and address in any order',
        }),
      ),
      ...pageQuery,
    }),
    reply: Type.Object({ ...Page(Song).properties, counts: Type.Optional(StageCounts) }),
    handle: async ({ query }) => {
      const page = await songs.list({
        query: {
          ...(query.status && { status: query.status }),
          ...(query.stage && { stage: query.stage, counts: !query.cursor }),
          ...(query.q && { q: query.q }),
          ...(query.uid !== undefined && { uid: query.uid }),
          ...(query.unread && { unread: true }),
          ...pageOf(query),
        },
      })
      return { ...page, items: page.items.map((song) => songView(song, UNLOCKED, config)) }
    },
  })

export const refundSong = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/songs/:id/refund', {
    access: 'unlocked',
    action: 'refund-song',
    summary:
      'Gives the credits of a charged song back; its owner reads the reason. `delivered`: also of a ready one, which stays ready',
    refusals: [...UNCONFIRMED, 'song_not_found', 'song_not_charged', 'song_already_ready', 'charge_pending'],
    body: Type.Object({ reason: Reason, delivered: Type.Optional(Type.Boolean()), ...Confirmed }),
    reply: Song,
    handle: async ({ request, params, id: callId, body }) => {
      noteAudit(request, { detail: body.reason })
      const id = songIdOf(params)
      const { songs, config } = deps
      const { reason, delivered = false, password } = body
      const ownId = derivedId(id, String(delivered))
      const confirmed = { id: ownId, cents: priceCents(await songs.get({ params: { id } })), password }
      const refunded = await withConfirmedAmount(deps, request, confirmed, () =>
        songs.refund({ params: { id }, query: { callId }, body: { reason, delivered } }),
      )
      return songView(refunded, UNLOCKED, config)
    },
  })

/** What a charged song cost. */
export const priceCents = ({ price }: Pick<Song, 'price'>): number =>
  (price === null ? null : toCents(price)) ?? FIRST_SONG_PRICE_CENTS
