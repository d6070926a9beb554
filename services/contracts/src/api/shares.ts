import { type Static, Type } from 'typebox'
import { Made } from './made.ts'
import { defineApi, Empty, GivenTime, Nullable, Page, PageQuery, Time } from './operation.ts'
import { Song } from './songs.ts'
import { VersionNumber } from './storage.ts'

const SHARED = {
  versions: Type.Array(VersionNumber, { minItems: 1, maxItems: 2, uniqueItems: true }),
  /** Whether the lyrics are shown. */
  lyrics: Type.Boolean(),
  /** Whether the audio may be saved. */
  download: Type.Boolean(),
  expiresAt: Nullable(GivenTime),
}
const STATE = {
  /** How often it was played from the beginning, once an hour and address. */
  plays: Type.Integer(),
  createdAt: Time,
  /** Since when the link is dead: it was ended, its time is over, or the song was refunded. */
  endedAt: Nullable(Time),
}

/** A link by which people without an account hear a song, as its owner sees it. */
export const Share = Type.Object({ id: Type.String(), url: Type.String(), ...SHARED, ...STATE })
export type Share = Static<typeof Share>

/** Both versions, no lyrics, no download and no end where nothing is said. */
export const NewShare = Type.Partial(Type.Object(SHARED))

/** The token alone gives access to the link: only the owner receives it. */
export const ShareRecord = Type.Object({
  id: Type.String(),
  songId: Type.String(),
  token: Type.String(),
  ...SHARED,
  ...STATE,
})
export type ShareRecord = Static<typeof ShareRecord>

/** What a link shows to anyone. */
export const SharedSong = Type.Object({
  title: Type.String(),
  /** The owner's first name. */
  artist: Nullable(Type.String()),
  versions: Type.Array(Type.Object({ n: VersionNumber, durationMs: Type.Integer(), made: Nullable(Made) })),
  lyrics: Nullable(Type.String()),
  download: Type.Boolean(),
  expiresAt: Nullable(Time),
  /** When one of its files was last delivered or replaced. */
  updatedAt: Time,
})
export type SharedSong = Static<typeof SharedSong>

/** What the songs service answers about links. */
export const sharesApi = defineApi({
  /**
   * Creates by the caller's id; the same id again answers the link that is there. Errors: song_not_found, song_not_ready,
   * song_not_charged for a refunded one, too_many_shares.
   */
  create: {
    method: 'PUT',
    path: '/shares/:id',
    body: Type.Object({ songId: Type.String(), ...SHARED }),
    reply: ShareRecord,
  },
  /** Of a person or of one of their songs, newest first, ended ones too. Errors: invalid_cursor. */
  list: {
    method: 'GET',
    path: '/shares',
    query: Type.Object({ uid: Type.String(), songId: Type.Optional(Type.String()), ...PageQuery }),
    reply: Page(ShareRecord),
  },
  /** Twice is once. Errors: share_not_found, also for another person's. */
  end: { method: 'POST', path: '/shares/:id/end', body: Type.Object({ uid: Type.String() }), reply: Empty },
  /** A link that is not over, by its token, which stays out of addresses. Errors: share_not_found, share_ended. */
  open: {
    method: 'POST',
    path: '/shares/open',
    body: Type.Object({ token: Type.String() }),
    reply: Type.Object({
      share: ShareRecord,
      song: Song,
      durationsMs: Type.Object({ 1: Type.Integer(), 2: Type.Integer() }),
    }),
  },
  countPlay: { method: 'POST', path: '/shares/:id/plays', reply: Empty },
})
