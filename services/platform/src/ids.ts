import { randomFillSync } from 'node:crypto'
import { v7, validate } from 'uuid'

const BYTES = 16
/** Drawn for many ids at once: a call to the system's random numbers costs more than the rest of an id. */
const random = new Uint8Array(256 * BYTES)
let used = random.length
let last = { msecs: 0, seq: 0 }

/** A new UUIDv7: sorts by time of making, also within a millisecond. */
export function newId(): string {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  const drawn = random.subarray(used, (used += BYTES))
  const now = Date.now()
  // its counter has 32 bits and begins in the lower half: no millisecond is long enough to use it up
  last =
    now > last.msecs
      ? { msecs: now, seq: ((drawn[0]! & 0x7f) << 24) | (drawn[1]! << 16) | (drawn[2]! << 8) | drawn[3]! }
      : { msecs: last.msecs, seq: last.seq + 1 }
  return v7({ random: drawn, ...last })
}

export const isId = (text: string): boolean => validate(text)
