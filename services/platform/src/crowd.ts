/** So many at once, on average over the last moments, are a crowd: at 400 requests a second it is three or four. */
const MANY = 8
const LATELY_MS = 500
/** How long a crowd comes first; one that stays longer shares with the events. */
const FIRST_MS = 10_000
/** A crowd that comes so long after another is one of its own. */
const APART_MS = 5_000

/** Tells whether more requests come at a time than can be answered at once. */
export interface Crowd {
  /** Counts a request for as long as it is being answered. */
  admit<T>(answer: () => Promise<T>): Promise<T>
  /** In the first seconds of a crowd: what can be done afterwards should wait. */
  comesFirst(): boolean
}

export function createCrowd(): Crowd {
  let present = 0
  let average = 0
  let lookedAt = performance.now()
  let beganAt = -Infinity
  let lastAt = -Infinity

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
      return present > 0 && average >= MANY && lookedAt - beganAt < FIRST_MS
    },
  }
}
