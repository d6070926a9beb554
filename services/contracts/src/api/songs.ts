import { type Static, Type } from 'typebox'
import { MAX_INTERNAL_NOTE, MAX_NOTES, MAX_REASON } from '../limits.ts'
import { VISIBLE } from '../text.ts'
import { Brief } from './brief.ts'
import { Made, MadeOfBoth, MadeOfSome } from './made.ts'
import { defineApi, GivenTime, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'
import { MailsRefused } from './people.ts'
import { PlacedObject, VersionNumber } from './storage.ts'

export const SongStatus = OneOf('pending', 'ready', 'cancelled', 'declined')
export type SongStatus = Static<typeof SongStatus>
/** Of a list; `closed` is cancelled or declined. */
export const StatusFilter = OneOf('pending', 'ready', 'cancelled', 'declined', 'closed')
/** Of a list; by title the untitled ones come last, newest first. */
export const SongSort = OneOf('newest', 'title')
/** Where a request is at the operator's desk. A late song is also to do or in the studio. */
export const Stage = OneOf('todo', 'studio', 'changes', 'late', 'delivered')
export type Stage = Static<typeof Stage>
/** How many songs each has. */
export const StageCounts = Type.Object({
  todo: Type.Integer(),
  studio: Type.Integer(),
  changes: Type.Integer(),
  late: Type.Integer(),
  delivered: Type.Integer(),
})
export type StageCounts = Static<typeof StageCounts>
/** Why a song is (not) charged; see docs/architecture.md. */
export const Charge = OneOf('deciding', 'charged', 'declined', 'gift', 'refunded')
export type Charge = Static<typeof Charge>

/** One thing that happened to a song. */
export const Step = Type.Object({
  state: OneOf(
    'requested',
    'waiting',
    'paid',
    'started',
    'delivered',
    'changes_asked',
    'changes_delivered',
    'accepted',
    'cancelled',
    'declined',
    'refunded',
    'late',
  ),
  at: Time,
})
export type Step = Static<typeof Step>

/** What the owner wants changed: in a version, at a time of it, or (null) in the whole. */
export const Note = Type.Object({
  version: VersionNumber,
  atMs: Nullable(Type.Number({ minimum: 0 })),
  text: Type.String({ minLength: 1 }),
})
export const NewNote = Type.Object({
  version: VersionNumber,
  atMs: Type.Optional(Nullable(Type.Number({ minimum: 0 }))),
  text: Type.String({ pattern: VISIBLE }),
})
export type NewNote = Static<typeof NewNote>
export const NewNotes = Type.Array(NewNote, { minItems: 1, maxItems: MAX_NOTES })

/** The last round of changes. */
export const Changes = Type.Object({
  state: OneOf('asked', 'delivered'),
  notes: Type.Array(Note),
  askedAt: Time,
  deliveredAt: Nullable(Time),
})
export type Changes = Static<typeof Changes>

/** How the owner keeps a song in the album; any time. */
export const SongMarks = Type.Object({
  favourite: Type.Optional(Type.Boolean()),
  preferred: Type.Optional(Nullable(VersionNumber)),
  archived: Type.Optional(Type.Boolean()),
})
export type SongMarks = Static<typeof SongMarks>

/** Of the certificate of the newest takes; `url` is the page that checks it, inside of the product its path alone. */
const CertificateLink = Type.Object({ id: Type.String(), url: Type.String() })

/** A song request as people see it. `storagePathN` is there for the unlocked operator only. */
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
  /** The credits taken for it; null before. From the songs service: what it costs, taken or not. */
  price: Nullable(Type.Number()),
  revision: Type.Integer(),
  createdAt: Time,
  updatedAt: Nullable(Time),
  title: Nullable(Type.String()),
  favourite: Type.Boolean(),
  /** The version that the owner likes better. */
  preferred: Nullable(VersionNumber),
  archived: Type.Boolean(),
  brief: Nullable(Brief),
  /** When it will be ready; null while it is not charged. */
  promisedAt: Nullable(Time),
  /** What the form of its request said; null where it said nothing. */
  readyBy: Nullable(Time),
  /** Null unless the operator has it in the studio. */
  startedAt: Nullable(Time),
  closedAt: Nullable(Time),
  /** The operator's words; null after a cancellation by the owner. */
  closedReason: Nullable(Type.String()),
  /** The owner changed lyrics or style after the request. */
  correctedAt: Type.Optional(Time),
  changes: Nullable(Changes),
  /** How many takes each version has; null before delivery. */
  takes: Nullable(Type.Object({ 1: Type.Integer(), 2: Type.Integer() })),
  /** How its newest takes were made; null before delivery. */
  made: Nullable(MadeOfBoth),
  acceptedAt: Nullable(Time),
  /** Null before delivery. */
  certificate: Nullable(CertificateLink),
  /** Oldest first. */
  timeline: Type.Array(Step),
  /** What owner and operator wrote about it; `unread` counts for the caller. */
  messages: Type.Object({ count: Type.Integer(), unread: Type.Integer() }),
  /** From the songs service: what the operator has not read, where `messages` is that of the owner. */
  unreadByOperator: Type.Optional(Type.Integer()),
  /** For the unlocked operator only. */
  note: Type.Optional(Nullable(Type.String())),
  /** For the unlocked operator who reads one song. */
  mailsRefused: MailsRefused,
  downloadUrl1: Nullable(Type.String()),
  downloadUrl2: Nullable(Type.String()),
  /** Of a refunded song: why, in the operator's words. */
  refundReason: Type.Optional(Type.String()),
  storagePath1: Type.Optional(Nullable(Type.String())),
  storagePath2: Type.Optional(Nullable(Type.String())),
})
export type Song = Static<typeof Song>

/** What a music generator is asked for, and whether it may be: without name, address and notes. */
export const SongWords = Type.Pick(Song, [
  'id',
  'uid',
  'status',
  'charge',
  'revision',
  'lyrics',
  'style',
  'brief',
])
export type SongWords = Static<typeof SongWords>

/** One recording of a version. The newest take is played; the first has the number 1. */
export const Take = Type.Object({
  version: VersionNumber,
  take: Type.Integer({ minimum: 1 }),
  objectId: Type.String(),
  ...Type.Omit(PlacedObject, ['id', 'placedAt']).properties,
  made: Nullable(Made),
})
export type Take = Static<typeof Take>

/** When a song would be ready that is charged now. */
export const NextPromise = Type.Object({ readyBy: Time })

/** The id of a call that is done once: its repeat, with the same id, answers the song as it is and changes nothing. */
const ONCE = { query: Type.Object({ callId: Type.Optional(Type.String({ format: 'uuid' })) }) }

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
      brief: Type.Optional(Brief),
      readyBy: Type.Optional(GivenTime),
      mostWaiting: Type.Optional(Type.Integer()),
    }),
    reply: Song,
  },
  promise: { method: 'GET', path: '/promise', reply: NextPromise },
  /**
   * Newest first. With `stage`: by promised time (unpaid ones last), by when changes were asked for, or newest delivery first. Without `uid`: the songs of all people. `q` is one literal phrase in title, lyrics or style. Errors: invalid_cursor.
   */
  list: {
    method: 'GET',
    path: '/songs',
    query: Type.Object({
      uid: Type.Optional(Type.String()),
      q: Type.Optional(Type.String()),
      status: Type.Optional(StatusFilter),
      favourite: Type.Optional(Type.Boolean()),
      archived: Type.Optional(Type.Boolean()),
      sort: Type.Optional(SongSort),
      stage: Type.Optional(Stage),
      /** Those with messages that the operator has not read. */
      unread: Type.Optional(Type.Boolean()),
      /** Whether to count the songs of all stages that have the phrase `q`. */
      counts: Type.Optional(Type.Boolean()),
      ...PageQuery,
    }),
    reply: Type.Object({ ...Page(Song).properties, counts: Type.Optional(StageCounts) }),
  },
  /** Those of these songs that exist. */
  byIds: {
    method: 'POST',
    path: '/songs/by-ids',
    callers: ['notifier'],
    body: Type.Object({ ids: Type.Array(Type.String()) }),
    reply: Type.Object({ items: Type.Array(Song) }),
  },
  /** Errors: song_not_found. The notifier of version 0.1.0 calls it too. */
  get: { method: 'GET', path: '/songs/:id', reply: Song, callers: ['notifier'] },
  /** Errors: song_not_found. */
  words: { method: 'GET', path: '/songs/:id/words', reply: SongWords, callers: ['storage'] },
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
  /** Takes it into the studio. Errors: song_not_found, song_closed, song_not_pending, charge_pending, song_not_charged. */
  start: {
    method: 'POST',
    path: '/songs/:id/start',
    body: Type.Object({ gift: Type.Boolean() }),
    reply: Song,
  },
  /** Out of the studio again. Errors: song_not_found, song_closed, song_not_pending. */
  release: { method: 'POST', path: '/songs/:id/release', reply: Song },
  /** By the owner; the credits come back. Errors: song_not_found, song_closed, song_already_ready, song_started, charge_pending. */
  cancel: { method: 'POST', path: '/songs/:id/cancel', ...ONCE, reply: Song },
  /** By the operator; the credits come back. Errors: song_not_found, song_closed, song_already_ready, charge_pending. */
  decline: {
    method: 'POST',
    path: '/songs/:id/decline',
    ...ONCE,
    body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: MAX_REASON }) }),
    reply: Song,
  },
  /**
   * By the operator; the credits come back, and a pending song can only be made as a gift then. `delivered`: also a ready one,
   * which stays ready. Errors: song_not_found, song_not_charged, song_already_ready, charge_pending.
   */
  refund: {
    method: 'POST',
    path: '/songs/:id/refund',
    ...ONCE,
    body: Type.Object({
      reason: Type.String({ minLength: 1, maxLength: MAX_REASON }),
      delivered: Type.Boolean(),
    }),
    reply: Song,
  },
  /** By the owner. Errors: song_not_found; for lyrics and style song_closed, song_already_ready, song_started. */
  change: {
    method: 'POST',
    path: '/songs/:id/change',
    body: Type.Object({
      lyrics: Type.Optional(Type.String()),
      style: Type.Optional(Type.String()),
      title: Type.Optional(Nullable(Type.String())),
      ...SongMarks.properties,
    }),
    reply: Song,
  },
  /** Errors: song_not_found, song_closed, song_not_ready, changes_used, changes_closed, invalid_request. */
  askChanges: {
    method: 'POST',
    path: '/songs/:id/changes',
    ...ONCE,
    body: Type.Object({ notes: NewNotes }),
    reply: Song,
  },
  /** Are changes asked for? Errors: song_not_found, song_closed, changes_not_asked. */
  checkChanges: { method: 'GET', path: '/songs/:id/changes', reply: Song },
  /** Errors: song_not_found, song_closed, song_not_ready, changes_asked. */
  accept: { method: 'POST', path: '/songs/:id/accept', reply: Song },
  /** The operator's own note. Errors: song_not_found. */
  note: {
    method: 'PUT',
    path: '/songs/:id/note',
    body: Type.Object({ text: Nullable(Type.String({ maxLength: MAX_INTERNAL_NOTE * 2 })) }),
    reply: Song,
  },
  /** The changes that were asked for: each object becomes the newest take of its version. Errors: song_not_found, song_closed, changes_not_asked, upload_failed. */
  deliverChanges: {
    method: 'POST',
    path: '/songs/:id/takes',
    body: Type.Object({
      objects: Type.Array(Type.Object({ version: VersionNumber, object: PlacedObject }), { minItems: 1 }),
    }),
    reply: Song,
  },
  /** How the newest takes were made, of the versions that are given. Errors: song_not_found, song_closed, song_not_ready. */
  stateMade: {
    method: 'PUT',
    path: '/songs/:id/made',
    body: Type.Object({ made: MadeOfSome }),
    reply: Song,
  },
  /** All takes, by version and number; none before the song is ready. Errors: song_not_found. */
  takes: {
    method: 'GET',
    path: '/songs/:id/takes',
    callers: ['storage'],
    reply: Type.Object({ takes: Type.Array(Take) }),
  },
  /** The rounds of changes before the last one, oldest first. Errors: song_not_found. */
  earlierChanges: {
    method: 'GET',
    path: '/songs/:id/earlier-changes',
    reply: Type.Object({ items: Type.Array(Changes) }),
  },
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
