import { type Static, Type } from 'typebox'
import { defineApi, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'

export const SongStatus = OneOf('pending', 'ready')
/** Why a song is (not) charged; see docs/architecture.md. */
export const Charge = OneOf('deciding', 'charged', 'declined', 'gift', 'refunded')
export type Charge = Static<typeof Charge>

/** A song request as people see it (spec §3). `storagePathN` is there for the unlocked operator only. */
export const Song = Type.Object({
  id: Type.String(),
  uid: Type.String(),
  username: Type.String(),
  email: Type.String(),
  lyrics: Type.String(),
  style: Type.String(),
  status: SongStatus,
  charged: Type.Boolean(),
  charge: Charge,
  revision: Type.Integer(),
  createdAt: Time,
  updatedAt: Nullable(Time),
  downloadUrl1: Nullable(Type.String()),
  downloadUrl2: Nullable(Type.String()),
  storagePath1: Type.Optional(Nullable(Type.String())),
  storagePath2: Type.Optional(Nullable(Type.String())),
})
export type Song = Static<typeof Song>

const Paths = { storagePath1: Type.String(), storagePath2: Type.String() }

/** What the songs service answers inside the product. Songs carry their storage paths here. */
export const songsApi = defineApi({
  /**
   * Creates by the caller's id; the same id again answers the song that is there. `mostWaiting`: how many of the person's
   * requests may wait for credits, any number if not given. Errors: too_many_waiting.
   */
  request: {
    method: 'PUT',
    path: '/songs/:id',
    body: Type.Object({
      uid: Type.String(),
      username: Type.String(),
      email: Type.String(),
      lyrics: Type.String(),
      style: Type.String(),
      mostWaiting: Type.Optional(Type.Integer()),
    }),
    reply: Song,
  },
  /** Without `uid`: the songs of all people. `q` is one literal phrase. Errors: invalid_cursor. */
  list: {
    method: 'GET',
    path: '/songs',
    query: Type.Object({
      uid: Type.Optional(Type.String()),
      q: Type.Optional(Type.String()),
      status: Type.Optional(SongStatus),
      ...PageQuery,
    }),
    reply: Page(Song),
  },
  /** Errors: song_not_found. */
  get: { method: 'GET', path: '/songs/:id', reply: Song, callers: ['notifier'] },
  /** May this song be fulfilled now? Errors: song_not_found, song_already_ready, charge_pending, song_not_charged. */
  checkFulfillable: {
    method: 'GET',
    path: '/songs/:id/fulfillable',
    query: Type.Object({ gift: Type.Boolean() }),
    reply: Song,
  },
  /** Marks ready and emits SongFulfilled. Same errors as checkFulfillable. */
  fulfil: {
    method: 'POST',
    path: '/songs/:id/fulfil',
    body: Type.Object({ gift: Type.Boolean(), ...Paths }),
    reply: Song,
  },
  /** Points one version of a ready song to another object. Errors: song_not_found, song_not_ready. */
  replaceVersion: {
    method: 'PUT',
    path: '/songs/:id/versions/:n',
    body: Type.Object({ storagePath: Type.String() }),
    reply: Song,
  },
  /** From here on the song cannot be fulfilled until its credits are back. Errors: song_not_found, song_not_charged, song_already_ready, charge_pending. */
  holdForRefund: { method: 'POST', path: '/songs/:id/hold-for-refund', reply: Song },
  /** Ends the hold of a refund that is given up. Idempotent. Errors: song_not_found. */
  releaseHold: { method: 'POST', path: '/songs/:id/release-hold', reply: Song },
  /** The credits are back: charge becomes `refunded`. Idempotent. Errors: song_not_found. */
  recordRefund: { method: 'POST', path: '/songs/:id/record-refund', reply: Song },
  /** How many songs this person has, by what closing the account would do to them. */
  ofPerson: {
    method: 'GET',
    path: '/people/:uid/songs',
    reply: Type.Object({
      ready: Type.Integer(),
      /** Charged or being decided, and not ready. */
      cooking: Type.Integer(),
      waiting: Type.Integer(),
    }),
  },
  /** Of these object paths, those that a song names: what a sweep must keep. */
  namedPaths: {
    method: 'POST',
    path: '/named-paths',
    callers: ['storage'],
    body: Type.Object({ paths: Type.Array(Type.String()) }),
    reply: Type.Object({ paths: Type.Array(Type.String()) }),
  },
})
