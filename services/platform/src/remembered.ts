export interface Entry<T> {
  readonly value: T
  /** ms since the epoch */
  readonly expiresAt: number
}

export interface Remembered<T> {
  get(key: string): Promise<T | null>
  /** Runs what changes the entry of a key: whoever asks after that sees the change. */
  changing<R>(key: string, work: () => Promise<R>): Promise<R>
  /** After a change by who learned the key only while at work. */
  forget(key: string): void
}

/**
 * Entries of a store that only this process changes, kept in memory for `keptMs`, the latest `most` of them. An entry is
 * forgotten before and after each change of it, and what was being read meanwhile is not kept: nobody who asks after a
 * change is told what was before. What is not there is not remembered.
 */
export function remembered<T>(
  load: (key: string) => Promise<Entry<T> | null>,
  { keptMs, most }: { keptMs: number; most: number },
): Remembered<T> {
  const kept = new Map<string, Entry<T>>()
  const loading = new Map<string, Promise<Entry<T> | null>>()
  const keep = (key: string, { value, expiresAt }: Entry<T>): void => {
    const until = Math.min(expiresAt, Date.now() + keptMs)
    kept.delete(key) // it stands behind those that were kept before
    if (until <= Date.now()) return
    kept.set(key, { value, expiresAt: until })
    for (const oldest of kept.keys()) {
      if (kept.size <= most) return
      kept.delete(oldest)
    }
  }
  const forget = (key: string): void => {
    kept.delete(key)
    loading.delete(key)
  }
  const read = (key: string): Promise<Entry<T> | null> => {
    const reading = load(key)
    loading.set(key, reading)
    const done = (entry: Entry<T> | null): void => {
      if (loading.get(key) !== reading) return
      loading.delete(key)
      if (entry) keep(key, entry)
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
    forget,
  }
}
