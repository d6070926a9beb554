import { expect, test, vi } from 'vitest'
import { Unavailable } from '../../src/errors.ts'
import type { KeyValue } from '../../src/key-value/port.ts'

const WAIT_FOR = { timeout: 10_000, interval: 20 }

/** How long a call to a store that does not answer may take: the port's 3 s and some for a busy machine. */
const UNAVAILABLE_WITHIN_MS = 3_500

export interface KeyValueUnderTest extends AsyncDisposable {
  readonly one: KeyValue
  readonly two: KeyValue
}

/** A store that a test may take away. */
export interface KeyValueOutage extends KeyValueUnderTest {
  stop(): Promise<void>
  start(): Promise<void>
  /** Keeps its connections and answers nothing. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** What every KeyValue must keep. `open` gives two connections to one store. */
export function keyValueConformance(name: string, open: () => Promise<KeyValueUnderTest>): void {
  test(`${name}: a value is seen by the other connection, replaced, and gone when it expires`, async () => {
    await using opened = await open()
    const { one, two } = opened
    expect(await one.get('k')).toBeNull()
    await one.set('k', 'Grüße 🎵', 60_000)
    expect(await two.get('k')).toBe('Grüße 🎵')
    await two.set('k', 'short', 80)
    await vi.waitFor(async () => expect(await one.get('k')).toBeNull(), WAIT_FOR)
  })

  test(`${name}: of many that set an absent key one wins, and an expired key counts as absent`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const won = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).setIfAbsent('k', String(n), 1_500)),
    )
    expect(won.filter(Boolean)).toHaveLength(1)
    await vi.waitFor(async () => expect(await two.setIfAbsent('k', 'again', 60_000)).toBe(true), WAIT_FOR)
    expect(await one.get('k')).toBe('again')
  })

  test(`${name}: of many that take a key one gets it`, async () => {
    await using opened = await open()
    const { one, two } = opened
    await one.set('k', 'v', 60_000)
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).getAndDelete('k')),
    )
    expect(taken.filter((value) => value !== null)).toEqual(['v'])
    expect(await one.get('k')).toBeNull()
    await one.set('k', 'late', 20)
    await vi.waitFor(async () => expect(await one.get('k')).toBeNull(), WAIT_FOR)
    expect(await one.getAndDelete('k')).toBeNull()
  })

  test(`${name}: concurrent counts miss nothing, and the window starts with the first count`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const counts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).increment('n', 60_000)),
    )
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    expect(await one.increment('w', 150)).toBe(1)
    expect(await one.increment('w', 60_000)).toBe(2)
    await vi.waitFor(async () => expect(await one.increment('w', 150)).toBe(1), WAIT_FOR)
  })

  test(`${name}: a message reaches the listeners of its channel on both connections, and no longer after they left`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const received: string[] = []
    const leave = await one.subscribe('live:u1', (message) => received.push(`one ${message}`))
    await two.subscribe('live:u1', (message) => received.push(`two ${message}`))
    await two.subscribe('live:u2', (message) => received.push(`other ${message}`))
    await one.publish('live:u1', 'hello')
    await vi.waitFor(() => expect(received.toSorted()).toEqual(['one hello', 'two hello']), WAIT_FOR)
    await leave()
    await two.publish('live:u1', 'again')
    await vi.waitFor(() => expect(received).toContain('two again'), WAIT_FOR)
    expect(received).not.toContain('one again')
    expect(received.some((entry) => entry.startsWith('other'))).toBe(false)
  })

  test(`${name}: messages of one publisher arrive in their order`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const received: string[] = []
    await two.subscribe('c', (message) => received.push(message))
    const sent = Array.from({ length: 50 }, (_, n) => `m${n}`)
    for (const message of sent) await one.publish('c', message)
    await vi.waitFor(() => expect(received).toEqual(sent), WAIT_FOR)
  })
}

/** What every KeyValue must keep while its store is away, where a test can take it away. */
export function keyValueOutages(name: string, open: () => Promise<KeyValueOutage>): void {
  /** How the calls end that are made now: for each its error, and whether they all ended in time. */
  const outcome = async (kv: KeyValue): Promise<{ errors: unknown[]; inTime: boolean }> => {
    const calls: (() => Promise<unknown>)[] = [
      () => kv.get('k'),
      () => kv.set('k', 'late', 60_000),
      () => kv.setIfAbsent('k', 'late', 60_000),
      () => kv.getAndDelete('k'),
      () => kv.increment('n', 60_000),
      () => kv.publish('c', 'late'),
      () => kv.subscribe('c', () => {}),
      () => kv.ping(),
    ]
    const began = Date.now()
    const errors = await Promise.all(calls.map((call) => call().catch((error: unknown) => error)))
    return { errors, inTime: Date.now() - began < UNAVAILABLE_WITHIN_MS }
  }
  const refused = { errors: Array.from({ length: 8 }, () => expect.any(Unavailable)), inTime: true }

  /** Both connections work, and listeners of before the outage receive again. */
  const worksAgain = async ({ one, two }: KeyValueUnderTest, received: readonly string[]): Promise<void> => {
    await vi.waitFor(() => one.ping(), WAIT_FOR)
    await vi.waitFor(() => two.ping(), WAIT_FOR)
    await vi.waitFor(async () => {
      await one.publish('c', 'back')
      expect(received).toContain('back')
    }, WAIT_FOR)
  }

  test(`${name}: while the store is down every call fails in time, and all works again once it is back`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const received: string[] = []
    let interruptions = 0
    two.onInterruption(() => interruptions++)
    await one.set('k', 'v', 60_000)
    await two.subscribe('c', (message) => received.push(message))
    expect(interruptions).toBe(0)
    await opened.stop()
    expect(await outcome(one)).toEqual(refused)
    expect(await outcome(one)).toEqual(refused) // not only the call that was in flight when the store stopped
    await opened.start()
    await worksAgain(opened, received)
    expect(await one.get('k')).toBe('v')
    expect(await one.increment('n', 60_000)).toBe(1)
    expect(received).not.toContain('late')
    await vi.waitFor(() => expect(interruptions).toBeGreaterThan(0), WAIT_FOR)
  })

  test(`${name}: a store that keeps its connections and does not answer fails every call in time`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const received: string[] = []
    await two.subscribe('c', (message) => received.push(message))
    await one.ping()
    await opened.freeze()
    try {
      expect(await outcome(one)).toEqual(refused)
      expect(await outcome(one)).toEqual(refused)
    } finally {
      await opened.thaw()
    }
    await worksAgain(opened, received)
  })

  test(`${name}: a connection that is opened while the store is down works once it is there`, async () => {
    await using opened = await open()
    await opened.stop()
    expect(await outcome(opened.two)).toEqual(refused)
    await opened.start()
    await worksAgain(opened, ['back'])
  })
}
