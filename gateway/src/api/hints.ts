import type { NoticeFacts } from '@prelude/contracts'
import type { KeyValue } from './key-value/port.ts'

/**
 * Messages between instances of the gateway: that an object changed, never its content (a message has at most
 * 1,000 bytes, and texts stay with their owner). `id` is the object's, or the session's for the last two.
 */
export interface Hint {
  readonly kind:
    | 'song'
    | 'credits'
    | 'payment'
    | 'notice'
    | 'notices-read'
    | 'preferences'
    | 'operator-song'
    | 'operator-transfer'
    | 'operator-debt'
    | 'operator-draft'
    | 'signed-out'
    | 'locked'
  readonly id: string
  /** The object is read at this revision or a later one; with `notices-read`, the time up to which they are read. */
  readonly revision?: number
  /** Only with `operator-draft`. */
  readonly songId?: string
  /** Only with `credits`: hundredths. */
  readonly balance?: number
  /** Only with `notice`, which is ids and facts alone. */
  readonly notice?: NoticeFacts
}

/** Of a song as it was requested. */
export const FIRST_REVISION = 1

/** The channel of the instances that hold a stream of this person. */
export const personChannel = (uid: string): string => `live:${uid}`
/** The channel of the instances that hold a stream of the unlocked operator. */
export const OPERATOR_CHANNEL = 'live-operator'

export const publishHint = (kv: KeyValue, channel: string, hint: Hint): Promise<void> =>
  kv.publish(channel, JSON.stringify(hint))

const received = new Map<string, Hint>()

/** All streams that receive a message get one hint, by which they share what is read for it. */
export function readHint(message: string): Hint {
  const known = received.get(message)
  if (known) return known
  const hint = JSON.parse(message) as Hint
  if (received.size === 0) setImmediate(() => received.clear()) // an equal message that comes later is another change
  received.set(message, hint)
  return hint
}
