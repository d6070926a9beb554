import { type EventEnvelope, type How, type Song, STANDARD_TERMS } from '@prelude/contracts'
import * as ledger from '@prelude/credits/model'

export const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS

/** Of the songs service in every life. */
export const TERMS = { ...STANDARD_TERMS, songsPerDay: 2, messagesDays: 10_000 }

/** What the songs service must say of a song, by the events and requests handled so far. */
export interface SeenSong {
  readonly uid: string
  charge: Song['charge']
  status: Song['status']
  started: boolean
  late: boolean
  changes: 'asked' | 'delivered' | null
  accepted: boolean
  /** What its promise may be; none before it has one, one as soon as it was read. */
  promises: number[]
  deliveredAt: number
  takes: number
  /** How the newest take of each version was made; none before delivery. */
  made: (How | null)[]
  messages: number
  /** Of each side's messages, how many the other has not read. */
  unread: { owner: number; studio: number }
  /** The operator wrote some. */
  toOwner: boolean
}

export const newSong = (uid: string): SeenSong => ({
  uid,
  charge: 'deciding',
  status: 'pending',
  started: false,
  late: false,
  changes: null,
  accepted: false,
  promises: [],
  deliveredAt: 0,
  takes: 0,
  made: [],
  messages: 0,
  unread: { owner: 0, studio: 0 },
  toOwner: false,
})

/** The credits and songs of all people in the plainest words, moved by the same requests and events as the services. */
export interface Model {
  /** Of the database. */
  now: number
  /** How far the clock of the songs service is ahead of it. */
  songsAheadMs: number
  readonly accounts: Map<string, ledger.Model>
  readonly songs: Map<string, SeenSong>
  /** Whom songs has erased. */
  readonly erased: Set<string>
  /** Notices about credits, as `<kind> <song>`. */
  readonly notices: Set<string>
}

export const newModel = (now: number, uids: readonly string[], startingCents: number): Model => ({
  now,
  songsAheadMs: 0,
  accounts: new Map(uids.map((uid) => [uid, ledger.emptyModel(startingCents)])),
  songs: new Map(),
  erased: new Set(),
  notices: new Set(),
})

/** A change of an account, with the notices that it causes. A decline has a notice of its own, and who cancels needs none. */
export function onAccount<T>(
  { accounts, notices }: Model,
  uid: string,
  change: (account: ledger.Model) => T,
  isClosing = false,
): T | undefined {
  const account = accounts.get(uid)
  if (!account) return undefined
  const before = new Map(account.songs)
  const result = change(account)
  for (const [id, state] of account.songs) {
    if (before.get(id) === 'waiting' && state === 'charged') notices.add(`charged ${id}`)
    if (before.get(id) === 'charged' && state === 'refunded' && !isClosing) notices.add(`credits_back ${id}`)
  }
  return result
}

const isDecided = ({ status, charge }: SeenSong): boolean => status === 'pending' && charge !== 'deciding'
const isPaid = ({ charge }: SeenSong): boolean => charge === 'charged' || charge === 'gift'
const isQueued = ({ status, charge }: SeenSong): boolean => status === 'pending' && charge === 'charged'

/** Everybody's songs that will be made before one that is charged now. */
const queueOf = ({ songs }: Model): number => [...songs.values()].filter(isQueued).length

const promise = (at: number, ahead: number): number =>
  at + Math.max(TERMS.turnaroundHours * HOUR_MS, (ahead / TERMS.songsPerDay) * DAY_MS)

/** When changes can no longer be asked for. */
export const windowEnd = ({ deliveredAt }: SeenSong): number => deliveredAt + TERMS.changesDays * DAY_MS

function made(song: SeenSong): void {
  if (song.charge !== 'charged') song.charge = 'gift'
}

function close(song: SeenSong, as: 'cancelled' | 'declined'): true {
  song.status = as
  song.started = false
  if (song.charge === 'charged') song.charge = 'refunded'
  return true
}

interface Facts {
  readonly song: SeenSong
  readonly model: Model
  /** As a gift; of a refund, also when it is ready; of what is said of how it was made, of the first version; of messages, by the operator. */
  readonly also: boolean
}

/** What can be done with a song; false when it is refused. */
export const SONG_ACTS = {
  fulfil: ({ song, model, also }: Facts): boolean => {
    if (!isDecided(song) || !(isPaid(song) || also)) return false
    made(song)
    Object.assign(song, { status: 'ready', deliveredAt: model.now, takes: 2, made: ['people', null] })
    return true
  },
  start: ({ song, model, also }: Facts): boolean => {
    if (!isDecided(song) || !(song.started || isPaid(song) || also)) return false
    if (song.started) return true
    if (song.promises.length === 0) song.promises = [promise(model.now + model.songsAheadMs, queueOf(model))]
    made(song)
    song.started = true
    return true
  },
  release: ({ song }: Facts): boolean => {
    if (song.status !== 'pending') return false
    song.started = false
    return true
  },
  cancel: ({ song }: Facts): boolean =>
    isDecided(song) && (!song.started || song.late) && close(song, 'cancelled'),
  decline: ({ song }: Facts): boolean => isDecided(song) && close(song, 'declined'),
  askChanges: ({ song, model }: Facts): boolean => {
    const isClosed = song.accepted || song.charge === 'refunded' || model.now >= windowEnd(song)
    if (song.status !== 'ready' || isClosed || song.changes !== null) return false
    song.changes = 'asked'
    return true
  },
  deliverChanges: ({ song, model }: Facts): boolean => {
    if (song.changes !== 'asked') return false
    Object.assign(song, { changes: 'delivered', deliveredAt: model.now, takes: song.takes + 1 })
    song.made[0] = null
    return true
  },
  stateMade: ({ song, also }: Facts): boolean => {
    if (song.status !== 'ready') return false
    song.made[also ? 0 : 1] = 'ai'
    return true
  },
  accept: ({ song }: Facts): boolean => {
    if (song.status !== 'ready' || song.changes === 'asked') return false
    song.accepted = true
    return true
  },
  giveBack: ({ song, also }: Facts): boolean => {
    if (song.charge !== 'charged' || (song.status === 'ready' && !also)) return false
    song.charge = 'refunded'
    return true
  },
  write: ({ song, also }: Facts): boolean => {
    song.messages++
    song.unread[also ? 'studio' : 'owner']++
    song.toOwner ||= also
    return true
  },
  read: ({ song, also }: Facts): boolean => {
    song.unread[also ? 'owner' : 'studio'] = 0
    return true
  },
} as const
export type SongAct = keyof typeof SONG_ACTS

/** Promises that have passed and windows that have ended are noticed. */
export function markLateAndAccepted({ songs, now }: Model): void {
  for (const song of songs.values()) {
    const [promisedAt = Infinity] = song.promises
    if (song.status === 'pending' && isPaid(song) && promisedAt <= now) song.late = true
    if (song.status === 'ready' && song.changes !== 'asked' && now >= windowEnd(song)) song.accepted = true
  }
}

interface Data {
  readonly songId: string
  readonly price: number
  readonly paymentId: string
  readonly credits: number
  readonly gift: boolean
}

const CREDITS_RECEIVES: Readonly<Record<string, (account: ledger.Model, data: Data) => void>> = {
  SongRequested: (account, { songId, price }) => ledger.request(account, songId, price),
  SongStarted: (account, { songId, gift }) => gift && ledger.unpaid(account, songId, 'gift'),
  SongFulfilled: (account, { songId, gift }) => gift && ledger.unpaid(account, songId, 'gift'),
  SongClosed: (account, { songId }) => ledger.unpaid(account, songId, 'closed'),
  PaymentSucceeded: (account, { paymentId, credits }) => ledger.topUp(account, paymentId, credits),
  PaymentReversed: (account, { paymentId, credits }) => {
    if (ledger.reverse(account, paymentId, credits) !== credits)
      throw new Error(`more of ${paymentId} was reversed than was left`)
  },
  PaymentReinstated: (account, { paymentId, credits }) => ledger.reinstate(account, paymentId, credits),
  AccountClosed: ledger.close,
}

const SONGS_RECEIVES: Readonly<Record<string, Song['charge']>> = {
  CreditsDeclined: 'declined',
  CreditsCharged: 'charged',
  CreditsRefunded: 'refunded',
}

const FORWARD: readonly Song['charge'][] = ['deciding', 'declined', 'charged', 'refunded', 'gift']

/** A service has handled these events for the first time, in one batch: those of different people in any order. */
export function received(model: Model, service: string, events: readonly EventEnvelope[]): void {
  const ahead = queueOf(model)
  const charged: [song: SeenSong, at: number][] = []
  let left = 0
  for (const { type, key: uid, at, data } of events) {
    const receive = service === 'credits' ? CREDITS_RECEIVES[type] : undefined
    const isClosing = type === 'SongClosed' && data['stays'] !== true
    if (receive) onAccount(model, uid, (account) => receive(account, data as unknown as Data), isClosing)
    if (service !== 'songs') continue
    if (type === 'AccountClosed') left += erase(model, uid)
    const charge = SONGS_RECEIVES[type]
    const song = model.songs.get(String(data['songId']))
    if (!charge || !song || FORWARD.indexOf(charge) <= FORWARD.indexOf(song.charge)) continue
    if (isQueued(song)) left++
    song.charge = charge
    if (isQueued(song)) charged.push([song, at])
  }
  for (const [song, at] of charged)
    song.promises = Array.from({ length: left + charged.length }, (_, n) => promise(at, ahead - left + n))
}

/** Answers how many songs left the queue. */
export function erase(model: Model, uid: string): number {
  const before = queueOf(model)
  model.erased.add(uid)
  for (const [id, song] of model.songs) if (song.uid === uid) model.songs.delete(id)
  return before - queueOf(model)
}

/** The notices that a person must have, as `<kind> <song>`. */
export function noticesOf({ songs, notices }: Model, uid: string): string[] {
  const own = [...songs].filter(([, song]) => song.uid === uid)
  return own.flatMap(([id, { status, late, changes, toOwner }]) => [
    ...['charged', 'credits_back']
      .filter((kind) => notices.has(`${kind} ${id}`))
      .map((kind) => `${kind} ${id}`),
    ...(status === 'ready' ? [`ready ${id}`] : []),
    ...(status === 'declined' ? [`declined ${id}`] : []),
    ...(late ? [`late ${id}`] : []),
    ...(toOwner ? [`message ${id}`] : []),
    ...(changes === 'delivered' ? [`changes_delivered ${id}`] : []),
  ])
}
