import type { Song } from '@prelude/contracts'

/** How far an order is. `stuck` waits for the person, `now` for us or for the credits service. */
export interface Step {
  readonly name: 'requested' | 'paid' | 'gift' | 'refunded' | 'cooking' | 'ready'
  readonly mark: 'done' | 'now' | 'stuck' | 'to come'
  /** Milliseconds since the epoch; only where the song says when. */
  readonly at?: number
}

/** The way of an order from its request to its song. The last step that was reached, or is under way, is the current one. */
export function stepsOf(song: Song): readonly Step[] {
  const isReady = song.status === 'ready'
  const requested: Step = { name: 'requested', mark: 'done', at: song.createdAt }
  // credits that went back end the way, until the song comes as a gift
  if (song.charge === 'refunded' && !isReady) return [requested, { name: 'refunded', mark: 'now' }]
  const isPaid = song.charge === 'charged'
  const cooking = isReady ? 'done' : isPaid ? 'now' : 'to come'
  return [
    requested,
    isReady && !isPaid ? { name: 'gift', mark: 'done' } : { name: 'paid', mark: paid(song) },
    { name: 'cooking', mark: cooking },
    isReady && song.updatedAt !== null
      ? { name: 'ready', mark: 'now', at: song.updatedAt }
      : { name: 'ready', mark: isReady ? 'now' : 'to come' },
  ]
}

const paid = ({ charge }: Song): Step['mark'] =>
  charge === 'charged' ? 'done' : charge === 'declined' ? 'stuck' : 'now'
