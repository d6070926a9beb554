/** Leases that share a key. */
interface LeaseKey {
  readonly key: string
  /** So many holders at a time. */
  readonly most: number
}

/** Sessions, limits, scripts of builds and live fan-out. Every call fails with Unavailable within 3 s when the store is down. */
export interface KeyValue {
  get(key: string): Promise<string | null>
  set(key: string, value: string, ttlMs: number): Promise<void>
  /** False when the key was there. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<boolean>
  /** Removes the value and answers it: of many callers one gets it. */
  getAndDelete(key: string): Promise<string | null>
  /** Counts by 1 if not said otherwise; `ttlMs` runs from the first count. Concurrent calls go out together. */
  increment(key: string, ttlMs: number, by?: number): Promise<number>
  /**
   * Takes a lease of each key for the holder, or renews its own; one that is not renewed ends after `ttlMs`. False, and the
   * holder has none of them, while a key has `most` others.
   */
  lease(keys: readonly LeaseKey[], holder: string, ttlMs: number): Promise<boolean>
  /** Ends this holder's leases, and those of no other. */
  endLease(keys: readonly LeaseKey[], holder: string): Promise<void>
  /** Delivered at most once, to the current listeners. `message` at most 1,000 bytes. */
  publish(channel: string, message: string): Promise<void>
  /** Resolves when active. */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>
  /** Calls when subscriptions are active again that were interrupted: messages may have been missed. */
  onInterruption(listener: () => void): void
  /** Deletes what has expired, where the store does not do so itself: a job of the service that uses it. */
  removeExpired(signal: AbortSignal): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}
