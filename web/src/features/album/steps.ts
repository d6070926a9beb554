import { deliveredAt, type Song } from '@prelude/contracts'

/** One step of a request. `blocked` waits for the person, `current` for the operator or the credits service. */
export interface Step {
  readonly name: 'requested' | 'paid' | 'gift' | 'refunded' | 'cooking' | 'ready' | 'cancelled' | 'declined'
  readonly state: 'done' | 'current' | 'blocked' | 'upcoming'
  /** Milliseconds since the epoch, where the song has a time for the step. */
  readonly at?: number
}

/** The steps of a request up to the finished song. The last step reached is the current one. */
export function stepsOf(song: Song): readonly Step[] {
  const isReady = song.status === 'ready'
  const requested: Step = { name: 'requested', state: 'done', at: song.createdAt }
  if (song.status === 'cancelled' || song.status === 'declined')
    return [
      requested,
      { name: song.status, state: 'current', ...(song.closedAt !== null && { at: song.closedAt }) },
    ]
  // a refund ends the timeline, unless the song is delivered as a gift later
  if (song.charge === 'refunded' && !isReady) return [requested, { name: 'refunded', state: 'current' }]
  const wasPaid = song.timeline.some(({ state }) => state === 'paid')
  const isPaid = song.charge === 'charged' || (song.charge === 'refunded' && wasPaid)
  const isGift = song.charge === 'gift'
  const cooking = isReady ? 'done' : isPaid || isGift ? 'current' : 'upcoming'
  return [
    requested,
    isGift || (isReady && !isPaid)
      ? { name: 'gift', state: 'done' }
      : { name: 'paid', state: isPaid ? 'done' : song.charge === 'declined' ? 'blocked' : 'current' },
    { name: 'cooking', state: cooking },
    isReady && song.updatedAt !== null
      ? { name: 'ready', state: 'current', at: deliveredAt(song) ?? song.updatedAt }
      : { name: 'ready', state: isReady ? 'current' : 'upcoming' },
  ]
}
