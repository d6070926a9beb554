export interface Entry {
  readonly value: string
  /** ms since the epoch */
  readonly expiresAt: number
}

export interface Remembered {
  get(key: string): Promise<string | null>
  /** Runs what changes the entry of a key: whoever asks after that sees the change. */
  changing<T>(key: string, work: () => Promise<T>): Promise<T>
  /** Lets go of what is too old to be answered. */
  tidy(): void
}

/**
 * Entries of a store that only this process changes, kept in memory for `keptMs`. An entry is forgotten before and after
 * each change of it, and what was being read meanwhile is not kept: nobody who asks after a change is told what was before.
 */
export function remembered(load: (key: string) => Promise<Entry | null>, keptMs: number): Remembered {
  const kept = new Map<string, Entry>()
  const loading = new Map<string, Promise<Entry | null>>()
  const forget = (key: string): void => {
    kept.delete(key)
    loading.delete(key)
  }
  const read = (key: string): Promise<Entry | null> => {
    const reading = load(key)
    loading.set(key, reading)
    const done = (entry: Entry | null): void => {
      if (loading.get(key) !== reading) return
      loading.delete(key)
      if (entry)
        kept.set(key, { value: entry.value, expiresAt: Math.min(entry.expiresAt, Date.now() + keptMs) })
    }
    reading.then(done, () => done(null))
    return reading
  }
  return {
    get: async (key) => {
      const known = kept.get(key)
      if (known && known.expiresAt > Date.now()) return known.value
      return (await (loading.get(key) ?? read(key)))?.value ?? null
    },
    changing: async (key, work) => {
      forget(key)
      try {
        return await work()
      } finally {
        forget(key)
      }
    },
    tidy: () => {
      for (const [key, { expiresAt }] of kept) if (expiresAt <= Date.now()) kept.delete(key)
    },
  }
}
