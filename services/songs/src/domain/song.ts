import type { Changes, Charge, Side, SongStatus, Step, Take } from '@prelude/contracts'
import { AppError } from '@prelude/platform'

/** The changeable fields of a song. Times are milliseconds since the epoch. */
export interface SongState {
  readonly lyrics: string
  readonly style: string
  readonly title: string | null
  readonly favourite: boolean
  /** The version that the owner likes better. */
  readonly preferred: 1 | 2 | null
  readonly archived: boolean
  readonly status: SongStatus
  readonly charge: Charge
  /** Why its credits were given back, in the operator's words. */
  readonly refundReason: string | null
  /** Null until fulfilment. */
  readonly updatedAt: number | null
  /** None before the song is ready, then at least one of each version. */
  readonly takes: readonly Take[]
  /** When it will be ready; set once, when the song is charged or begun as a gift. */
  readonly promisedAt: number | null
  /** When it was marked late, after its promise had passed. */
  readonly lateAt: number | null
  /** The operator has it in the studio. */
  readonly startedAt: number | null
  /** Of the newest takes; the time to ask for changes runs from here. */
  readonly deliveredAt: number | null
  /** The last round of changes. */
  readonly changes: Changes | null
  /** Rounds of changes so far. */
  readonly changesAsked: number
  readonly acceptedAt: number | null
  readonly closedAt: number | null
  /** The operator's words; null after a cancellation by the owner. */
  readonly closedReason: string | null
  /** The owner changed lyrics or style after the request. */
  readonly correctedAt: number | null
  /** The operator's own. */
  readonly note: string | null
  /** Of the calls that are done once. */
  readonly callIds: readonly string[]
  /** Of each side: how many messages it wrote, and how many of them the other side has not read. */
  readonly messages: Readonly<Record<Side, { readonly count: number; readonly unread: number }>>
  /** What happened after the request, oldest first. */
  readonly timeline: readonly Step[]
}

/** What was agreed with the person; the hours, days and songs may be fractions. */
export interface Terms {
  readonly turnaroundHours: number
  readonly songsPerDay: number
  readonly changesIncluded: number
  readonly changesDays: number
  readonly messagesDays: number
}

export const HOUR_MS = 60 * 60_000
export const DAY_MS = 24 * HOUR_MS

const MOST_DAYS = 50
/**
 * How many songs before a new one count for its promise: fifty days of work, and never fewer than 1,000. The count of tens of
 * thousands would cost each batch of charges more than the charges themselves.
 */
export const mostAhead = ({ songsPerDay }: Terms): number =>
  Math.max(1_000, Math.ceil(MOST_DAYS * songsPerDay))

/**
 * Answers of the credits service arrive in any order with what happens here, and more than once, so a charge only
 * moves forward along this line. A gift is last: what credits had charged for it, credits gives back without a request.
 */
const FORWARD: readonly Charge[] = ['deciding', 'declined', 'charged', 'refunded', 'gift']

/** What an answer of the credits service depends on. */
export type Charged = Pick<SongState, 'charge'>

/** The same change of a charge, for a song that was erased. Gives the very same object back when it changes nothing. */
export function movedCharge<S extends Charged>(song: S, charge: Charge): S {
  if (FORWARD.indexOf(charge) <= FORWARD.indexOf(song.charge)) return song
  return { ...song, charge }
}

export const withStep = <S extends SongState>(song: S, state: Step['state'], at: number): S => ({
  ...song,
  timeline: [...song.timeline, { state, at }],
})

export const isClosed = ({ status }: Pick<SongState, 'status'>): boolean =>
  status === 'cancelled' || status === 'declined'

/** Each of the three answers gives the very same object back when it changes nothing. */
export const onDeclined =
  (at: number) =>
  <S extends SongState>(song: S): S => {
    const moved = movedCharge(song, 'declined')
    return moved === song || isClosed(song) ? moved : withStep(moved, 'waiting', at)
  }

/** `ahead`: charged songs that are not delivered yet. A closed song gets no promise: its credits come back. */
export const onCharged =
  (at: number, ahead: number, terms: Terms) =>
  <S extends SongState>(song: S): S => {
    const moved = movedCharge(song, 'charged')
    return moved === song || isClosed(song) ? moved : withStep(promised(moved, at, ahead, terms), 'paid', at)
  }

export const onRefunded =
  (at: number) =>
  <S extends SongState>(song: S): S => {
    const moved = movedCharge(song, 'refunded')
    return moved === song ? song : withStep(moved, 'refunded', at)
  }

/** Says that something that is kept elsewhere changed. */
export const withNewRevision = <S extends Charged>(song: S): S => ({ ...song })

/** When a song is promised for that is charged or begun `at`, with so many charged songs before it. */
export const promiseAt = (at: number, ahead: number, terms: Terms): number =>
  Math.round(at + Math.max(terms.turnaroundHours * HOUR_MS, (ahead / terms.songsPerDay) * DAY_MS))

const promised = <S extends SongState>(song: S, at: number, ahead: number, terms: Terms): S => ({
  ...song,
  promisedAt: promiseAt(at, ahead, terms),
})

/** Errors: song_closed. */
export function assertOpen(song: SongState): void {
  if (isClosed(song)) throw new AppError('song_closed')
}

/** Errors: song_closed, song_already_ready. */
function assertPending(song: SongState): void {
  assertOpen(song)
  if (song.status === 'ready') throw new AppError('song_already_ready')
}

/** Errors: charge_pending. */
function assertDecided(song: Charged): void {
  if (song.charge === 'deciding') throw new AppError('charge_pending')
}

/**
 * A song is fulfilled when it is charged, or as a gift (decision 1). `gift` on a charged song changes nothing about
 * its charge: what was paid stays paid.
 * Errors: song_closed, song_already_ready, charge_pending, song_not_charged.
 */
export function assertFulfillable(song: SongState, gift: boolean): void {
  assertPending(song)
  assertDecided(song)
  if (song.charge !== 'charged' && song.charge !== 'gift' && !gift) throw new AppError('song_not_charged')
}

/** What is made without being paid is a gift. */
const asMade = (charge: Charge): Charge => (charge === 'charged' ? 'charged' : 'gift')

/**
 * The operator begins to work on it; twice is once. A song that is not charged becomes a gift, with a promise.
 * Errors: song_closed, song_not_pending, charge_pending, song_not_charged.
 */
export function started<S extends SongState>(
  song: S,
  by: { gift: boolean; at: number; ahead: number; terms: Terms },
): S {
  assertOpen(song)
  if (song.status === 'ready') throw new AppError('song_not_pending')
  assertDecided(song)
  if (song.startedAt !== null) return song
  if (song.charge !== 'charged' && song.charge !== 'gift' && !by.gift) throw new AppError('song_not_charged')
  const begun = { ...song, charge: asMade(song.charge), startedAt: by.at }
  const isPromised = song.promisedAt !== null // which does not move, also when a refunded song becomes a gift
  return withStep(isPromised ? begun : promised(begun, by.at, by.ahead, by.terms), 'started', by.at)
}

/** Errors: song_not_pending. */
export function released<S extends SongState>(song: S): S {
  if (song.status !== 'pending') throw new AppError('song_not_pending')
  return song.startedAt === null ? song : { ...song, startedAt: null }
}

/**
 * By its owner, who gets the credits back; a late one also from the studio.
 * Errors: song_closed, song_already_ready, song_started, charge_pending.
 */
export function cancelled<S extends SongState>(song: S, at: number): S {
  assertPending(song)
  if (song.startedAt !== null && song.lateAt === null) throw new AppError('song_started')
  assertDecided(song)
  return closed(song, { status: 'cancelled', reason: null, at })
}

/** By the operator; the owner gets the credits back. Errors: song_closed, song_already_ready, charge_pending. */
export function declined<S extends SongState>(song: S, reason: string, at: number): S {
  assertPending(song)
  assertDecided(song)
  return closed(song, { status: 'declined', reason, at })
}

function closed<S extends SongState>(
  song: S,
  { status, reason, at }: { status: 'cancelled' | 'declined'; reason: string | null; at: number },
): S {
  const end = withStep({ ...song, status, closedAt: at, closedReason: reason, startedAt: null }, status, at)
  return song.charge === 'charged' ? givenBack(end, reason, at) : end
}

/** Credits gives back what it took, for certain: that is said at once. */
const givenBack = <S extends SongState>(song: S, reason: string | null, at: number): S =>
  withStep({ ...song, charge: 'refunded', refundReason: reason }, 'refunded', at)

/**
 * By the operator; a pending song can only be made as a gift from then on. `delivered`: also a ready one, which stays ready.
 * Errors: song_already_ready, charge_pending, song_not_charged.
 */
export function refunded<S extends SongState>(
  song: S,
  { reason, delivered, at }: { reason: string; delivered: boolean; at: number },
): S {
  if (song.status === 'ready' && !delivered) throw new AppError('song_already_ready')
  assertDecided(song)
  if (song.charge !== 'charged') throw new AppError('song_not_charged')
  return givenBack(song, reason, at)
}

/** Not while it is in the studio, late or not. Errors: song_closed, song_already_ready, song_started. */
export function corrected<S extends SongState>(
  song: S,
  texts: { lyrics?: string | undefined; style?: string | undefined },
  at: number,
): S {
  assertPending(song)
  if (song.startedAt !== null) throw new AppError('song_started')
  const { lyrics = song.lyrics, style = song.style } = texts
  if (lyrics === song.lyrics && style === song.style) return song
  return { ...song, lyrics, style, correctedAt: at }
}

/** How the owner keeps a song in the album. */
export type Marks = Pick<SongState, 'title' | 'favourite' | 'preferred' | 'archived'>

/** Gives the very same object back when it changes nothing. */
export function marked<S extends SongState>(song: S, marks: Partial<Marks>): S {
  const names = ['title', 'favourite', 'preferred', 'archived'] as const
  const changes = names.some((name) => marks[name] !== undefined && marks[name] !== song[name])
  return changes ? { ...song, ...marks } : song
}

/** Has the promise passed without a delivery? */
const isOverdue = (song: SongState, now: number): boolean =>
  song.status === 'pending' &&
  (song.charge === 'charged' || song.charge === 'gift') &&
  song.lateAt === null &&
  song.promisedAt !== null &&
  song.promisedAt <= now

/** Marks a song late, once; gives the very same object back when it is not. */
export const late = <S extends SongState>(song: S, now: number): S =>
  isOverdue(song, now) ? withStep({ ...song, lateAt: now }, 'late', now) : song
