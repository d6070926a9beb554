import type { EventEnvelope, Song } from '@prelude/contracts'
import * as ledger from '@prelude/credits/model'

/** The state that a song must have in the songs service, by the events received so far. */
export interface SeenSong {
  charge: Song['charge']
  status: Song['status']
  started: boolean
  late: boolean
  changes: 'asked' | 'delivered' | null
  accepted: boolean
}

export const newSong = (): SeenSong => ({
  charge: 'deciding',
  status: 'pending',
  started: false,
  late: false,
  changes: null,
  accepted: false,
})

/** One person's credits and songs in the plainest words, moved by the same events in the same order as the services. */
export interface Person {
  readonly uid: string
  readonly account: ledger.Model
  readonly songs: Map<string, SeenSong>
}

export const newPerson = (uid: string, startingCents: number): Person => ({
  uid,
  account: ledger.emptyModel(startingCents),
  songs: new Map(),
})

interface Facts {
  readonly songId: string
  readonly paymentId: string
  readonly credits: number
  readonly gift: boolean
  readonly price: number
}

const CREDITS_RECEIVES: Readonly<Record<string, (account: ledger.Model, facts: Facts) => void>> = {
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

function moveForward(song: SeenSong, charge: Song['charge']): void {
  if (FORWARD.indexOf(charge) > FORWARD.indexOf(song.charge)) song.charge = charge
}

/** A service has handled this event for the first time. */
export function received(person: Person, service: string, { type, data }: EventEnvelope): void {
  const facts = data as unknown as Facts
  if (service === 'credits') CREDITS_RECEIVES[type]?.(person.account, facts)
  if (service === 'songs' && type === 'AccountClosed') person.songs.clear()
  const charge = service === 'songs' ? SONGS_RECEIVES[type] : undefined
  const song = person.songs.get(facts.songId)
  if (charge && song) moveForward(song, charge)
}

/** What the song must be called once the songs service has handled everything. */
export function settledCharge(person: Person, songId: string): Song['charge'] {
  const state = person.account.songs.get(songId)
  if (state === undefined) return 'deciding'
  if (state === 'waiting') return 'declined'
  // closed without having been paid
  if (state === 'closed') return 'declined'
  const isGift = state === 'refunded' && person.songs.get(songId)?.charge === 'gift'
  return isGift ? 'gift' : state
}
