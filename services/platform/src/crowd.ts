/** So many at once, on average over the last moments, are a crowd: at 400 requests a second it is three or four. */
const MANY = 8
const LATELY_MS = 1_000
/** How long a crowd comes first; one that stays longer shares with the events. */
const FIRST_MS = 10_000
/** Then they have a turn so often: many together cost less than each by itself. */
const TURN_MS = 50
/** A crowd that comes so long after another is one of its own. */
const APART_MS = 5_000

/** Tells whether more requests come at a time than can be answered at once. */
export interface Crowd {
  /** Counts a request for as long as it is being answered. */
  admit<T>(answer: () => Promise<T>): Promise<T>
  /** What can be done afterwards should wait: in the first seconds of a crowd all the time, then between two turns. */
  comesFirst(): boolean
}

export function createCrowd(): Crowd {
  let present = 0
  let average = 0
  let lookedAt = performance.now()
  let beganAt = -Infinity
  let lastAt = -Infinity
  let turnAt = -Infinity

  const look = (): void => {
    const now = performance.now()
    const wasCrowd = average >= MANY
    average += (present - average) * (1 - Math.exp((lookedAt - now) / LATELY_MS))
    lookedAt = now
    if (average < MANY) return
    if (!wasCrowd && now - lastAt > APART_MS) beganAt = now
    lastAt = now
  }
  return {
    admit: async (answer) => {
      look()
      present++
      try {
        return await answer()
      } finally {
        look()
        present--
      }
    },
    comesFirst: () => {
      look()
      const isCrowd = present > 0 && average >= MANY
      const first = isCrowd && (lookedAt - beganAt < FIRST_MS || lookedAt - turnAt < TURN_MS)
      if (!first) turnAt = lookedAt
      return first
    },
  }
}
