import { expect, test } from 'vitest'
import { Unavailable } from '@prelude/platform'
import type { KeyValue } from '../../src/api/key-value/port.ts'
import { eventually } from '@prelude/platform/eventually'

const HOUR_MS = 60 * 60_000

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
  test(`${name}: a value is seen by the other connection, and replaced`, async () => {
    await using opened = await open()
    const { one, two } = opened
    expect(await one.get('k')).toBeNull()
    await one.set('k', 'Grüße 🎵', 60_000)
    expect(await two.get('k')).toBe('Grüße 🎵')
    await two.set('k', 'other', 60_000)
    expect(await one.get('k')).toBe('other')
  })

  test(`${name}: of many that set an absent key one wins`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const won = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).setIfAbsent('k', String(n), HOUR_MS)),
    )
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await two.get('k')).toBe(String(won.indexOf(true)))
  })

  test(`${name}: of many that take a key one gets it`, async () => {
    await using opened = await open()
    const { one, two } = opened
    await one.set('k', 'v', HOUR_MS)
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).getAndDelete('k')),
    )
    expect(taken.filter((value) => value !== null)).toEqual(['v'])
    expect(await one.get('k')).toBeNull()
  })

  test(`${name}: concurrent counts of several keys miss nothing, and a count can be taken back`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const keys = ['a', 'b', 'c']
    const counts = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const kv = n % 2 ? one : two
        return Promise.all((n % 3 ? keys : keys.toReversed()).map((key) => kv.increment(key, HOUR_MS)))
      }),
    )
    const numbers = Array.from({ length: 20 }, (_, n) => Array<number>(3).fill(n + 1)).flat()
    expect(counts.flat().toSorted((a, b) => a - b)).toEqual(numbers)
    expect(await Promise.all([one.increment('a', HOUR_MS, -1), one.increment('a', HOUR_MS)])).toEqual([
      19, 20,
    ])
  })

  test(`${name}: of many that lease a key as many hold it as may, over both connections, and each ends its own alone`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const all = [{ key: 'few', most: 3 }]
    const lease = (holder: number, kv = holder % 2 ? one : two) => kv.lease(all, String(holder), HOUR_MS)
    const taken = await Promise.all(Array.from({ length: 20 }, (_, holder) => lease(holder)))
    const held = taken.flatMap((isTaken, holder) => (isTaken ? [holder] : []))
    expect(held).toHaveLength(3)
    const [first = 0, ...others] = held
    expect(await Promise.all(others.map((holder) => lease(holder)))).toEqual([true, true])
    await one.endLease(all, 'none of them')
    expect(await lease(20)).toBe(false)
    await two.endLease(all, String(first))
    expect(await lease(20)).toBe(true)
    expect(await lease(first)).toBe(false)
    await one.endLease(all, String(first)) // a second time, now that another one holds it
    expect(await lease(21)).toBe(false)
  })

  test(`${name}: of leases of several keys that are asked for together all are taken or none`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const [person, address] = [
      { key: 'person', most: 2 },
      { key: 'address', most: 3 },
    ]
    expect(await one.lease([person, address], 'a', HOUR_MS)).toBe(true)
    expect(await two.lease([address, person], 'b', HOUR_MS)).toBe(true)
    expect(await one.lease([person, address], 'c', HOUR_MS)).toBe(false)
    expect(await two.lease([address], 'd', HOUR_MS)).toBe(true)
    expect(await one.lease([address], 'e', HOUR_MS)).toBe(false)
    await two.endLease([person, address], 'a')
    expect(await one.lease([person, address], 'c', HOUR_MS)).toBe(true)
  })

  test(`${name}: a message reaches the listeners of its channel on both connections, and no longer after they left`, async () => {
    await using opened = await open()
    const { one, two } = opened
    const received: string[] = []
    const leave = await one.subscribe('live:u1', (message) => received.push(`one ${message}`))
    await two.subscribe('live:u1', (message) => received.push(`two ${message}`))
    await two.subscribe('live:u2', (message) => received.push(`other ${message}`))
    await one.publish('live:u1', 'hello')
    await eventually(() => expect(received.toSorted()).toEqual(['one hello', 'two hello']))
    await leave()
    await two.publish('live:u1', 'again')
    await eventually(() => expect(received).toContain('two again'))
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
    await eventually(() => expect(received).toEqual(sent))
  })
}

/** A store whose time a test moves. */
export interface KeyValueWithClock extends KeyValueUnderTest {
  pass(ms: number): void
}

/** What every KeyValue must keep as time passes. Of a server with a clock of its own a test can only wait for it. */
export function keyValueExpiry(name: string, open: () => Promise<KeyValueWithClock>): void {
  test(`${name}: a value is there until its time is over, and can then be set again`, async () => {
    await using opened = await open()
    const { one, two, pass } = opened
    for (const key of ['get', 'take', 'set']) await one.set(key, 'v', HOUR_MS)
    pass(HOUR_MS / 2)
    expect(await two.get('get')).toBe('v')
    expect(await two.setIfAbsent('set', 'early', HOUR_MS)).toBe(false)
    pass(HOUR_MS / 2)
    expect(await two.get('get')).toBeNull()
    expect(await two.getAndDelete('take')).toBeNull()
    expect(await two.setIfAbsent('set', 'again', HOUR_MS)).toBe(true)
    expect(await one.get('set')).toBe('again')
  })

  test(`${name}: a lease that is not renewed ends, and one that is does not`, async () => {
    await using opened = await open()
    const { one, two, pass } = opened
    const pair = [{ key: 'l', most: 2 }]
    for (const holder of ['renewed', 'left']) expect(await one.lease(pair, holder, HOUR_MS)).toBe(true)
    pass(HOUR_MS / 2)
    expect(await two.lease(pair, 'renewed', HOUR_MS)).toBe(true)
    expect(await two.lease(pair, 'third', HOUR_MS)).toBe(false)
    pass(HOUR_MS / 2)
    expect(await two.lease(pair, 'third', HOUR_MS)).toBe(true)
    expect(await one.lease(pair, 'left', HOUR_MS)).toBe(false)
  })

  test(`${name}: the window of a count starts with the first count`, async () => {
    await using opened = await open()
    const { one, two, pass } = opened
    expect(await one.increment('n', HOUR_MS)).toBe(1)
    pass(HOUR_MS / 2)
    expect(await two.increment('n', HOUR_MS)).toBe(2)
    pass(HOUR_MS / 2)
    expect(await one.increment('n', HOUR_MS)).toBe(1)
    expect(await two.increment('n', HOUR_MS)).toBe(2)
  })
}

/** What every KeyValue must keep while its store is away, where a test can take it away. */
export function keyValueOutages(name: string, open: () => Promise<KeyValueOutage>): void {
  /** How the calls end that are made now: each with its error. A call that did not end would last as long as the outage. */
  const outcome = async (kv: KeyValue): Promise<unknown[]> => {
    const calls: (() => Promise<unknown>)[] = [
      () => kv.get('k'),
      () => kv.set('k', 'late', 60_000),
      () => kv.setIfAbsent('k', 'late', 60_000),
      () => kv.getAndDelete('k'),
      () => kv.increment('n', 60_000),
      () => kv.lease([{ key: 'l', most: 1 }], 'late', 60_000),
      () => kv.endLease([{ key: 'l', most: 1 }], 'late'),
      () => kv.publish('c', 'late'),
      () => kv.subscribe('c', () => {}),
      () => kv.ping(),
    ]
    return Promise.all(calls.map((call) => call().catch((error: unknown) => error)))
  }
  const refused = Array.from({ length: 10 }, () => expect.any(Unavailable))

  /** Both connections work, and listeners of before the outage receive again. */
  const worksAgain = async ({ one, two }: KeyValueUnderTest, received: readonly string[]): Promise<void> => {
    await eventually(() => one.ping())
    await eventually(() => two.ping())
    await eventually(async () => {
      await one.publish('c', 'back')
      expect(received).toContain('back')
    })
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
    await eventually(() => expect(interruptions).toBeGreaterThan(0))
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
