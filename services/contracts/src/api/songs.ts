import { type Static, Type } from 'typebox'
import { defineApi, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'
import { PlacedObject } from './storage.ts'

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
  /** Of a refunded song: why, in the operator's words. */
  refundReason: Type.Optional(Type.String()),
  storagePath1: Type.Optional(Nullable(Type.String())),
  storagePath2: Type.Optional(Nullable(Type.String())),
})
export type Song = Static<typeof Song>

export const VersionNumber = Type.Unsafe<1 | 2>(Type.Integer({ minimum: 1, maximum: 2 }))

/** One recording of a version. The newest take is played; the first has the number 1. */
export const Take = Type.Object({
  version: VersionNumber,
  take: Type.Integer({ minimum: 1 }),
  objectId: Type.String(),
  ...Type.Omit(PlacedObject, ['id', 'placedAt']).properties,
})
export type Take = Static<typeof Take>

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
  /** Makes the objects the first takes of both versions: the song is ready. Errors: those of checkFulfillable, upload_failed. */
  fulfil: {
    method: 'POST',
    path: '/songs/:id/fulfil',
    body: Type.Object({ gift: Type.Boolean(), version1: PlacedObject, version2: PlacedObject }),
    reply: Song,
  },
  /**
   * Another object takes the place of the take whose path is `replaces`. Errors: song_not_found, song_not_ready,
   * fulfilment_in_progress when no take of the version has that path any more, upload_failed.
   */
  replaceTake: {
    method: 'POST',
    path: '/songs/:id/versions/:n/replace',
    body: Type.Object({ replaces: Type.String(), object: PlacedObject }),
    reply: Song,
  },
  /** Each object becomes the newest take of its version. Errors: song_not_found, song_not_ready, upload_failed. */
  addTakes: {
    method: 'POST',
    path: '/songs/:id/takes',
    body: Type.Object({
      objects: Type.Array(Type.Object({ version: VersionNumber, object: PlacedObject }), { minItems: 1 }),
    }),
    reply: Song,
  },
  /** All takes, by version and number; none before the song is ready. Errors: song_not_found. */
  takes: { method: 'GET', path: '/songs/:id/takes', reply: Type.Object({ takes: Type.Array(Take) }) },
  /** From here on the song cannot be fulfilled until its credits are back; its owner reads `reason` then. Errors: song_not_found, song_not_charged, song_already_ready, charge_pending. */
  holdForRefund: {
    method: 'POST',
    path: '/songs/:id/hold-for-refund',
    body: Type.Object({ reason: Type.String() }),
    reply: Song,
  },
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
  /** Of these object paths, those that a song names: the sweep of storage keeps them. */
  namedPaths: {
    method: 'POST',
    path: '/named-paths',
    callers: ['storage'],
    body: Type.Object({ paths: Type.Array(Type.String()) }),
    reply: Type.Object({ paths: Type.Array(Type.String()) }),
  },
})
