import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { Unavailable } from '../../src/errors.ts'
import type { BusMessage, EventBus } from '../../src/events/port.ts'
import { type BusUnderTest, numbers, PATIENCE, TOPIC, upTo, valuesOf } from './bus-under-test.ts'

export interface BusOutage extends BusUnderTest {
  /** Without a goodbye. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Keeps its connections and answers nothing. */
  freeze(): Promise<void>
  thaw(): Promise<void>
}

/** What every EventBus must keep while its server is away, where a test can take it away. */
export function busOutages(name: string, open: () => Promise<BusOutage>): void {
  const SLOW = { timeout: 60_000, interval: 50 }

  /** As the relay does: the same again until it is taken. */
  const publishAtLast = async (bus: EventBus, value: number): Promise<void> => {
    for (;;) {
      const problem = await bus.publish(TOPIC, valuesOf('a', [value])).then(
        () => null,
        (error: unknown) => error,
      )
      if (problem === null) return
      expect(problem).toBeInstanceOf(Unavailable)
    }
  }

  test(`${name}: a server that dies while events flow costs none of them and not their order`, async () => {
    await using opened = await open()
    const { bus } = opened
    await bus.createTopics([TOPIC])
    const seen: BusMessage[] = []
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const subscription = await bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle })
    for (const n of upTo(20)) await publishAtLast(bus, n)
    await vi.waitFor(() => expect(numbers(seen, 'a')).toContain(5), PATIENCE)
    const flowing = (async () => {
      for (const n of upTo(60).slice(20)) await publishAtLast(bus, n)
    })()
    await opened.kill()
    await opened.start()
    await flowing
    await vi.waitFor(() => expect([...new Set(numbers(seen, 'a'))]).toEqual(upTo(60)), SLOW)
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), SLOW)
    await subscription.stop()
  }, 120_000)

  test(`${name}: a server that is silent fails a call in time, holds up no start and no stop, and is waited for`, async () => {
    await using opened = await open()
    const { bus } = opened
    await bus.createTopics([TOPIC])
    const seen: BusMessage[] = []
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    await bus.publish(TOPIC, valuesOf('a', [0]))
    await opened.freeze()
    const began = Date.now()
    try {
      const subscription = await bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle })
      await Promise.all([
        expect(bus.ping()).rejects.toBeInstanceOf(Unavailable),
        expect(bus.publish(TOPIC, valuesOf('a', [1]))).rejects.toBeInstanceOf(Unavailable),
        subscription.stop(),
      ])
      expect(Date.now() - began).toBeLessThan(15_000)
    } finally {
      await opened.thaw()
    }
    await publishAtLast(bus, 2)
    const subscription = await bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle })
    await vi.waitFor(() => expect(numbers(seen, 'a')).toContain(2), SLOW)
    expect(numbers(seen, 'a')[0]).toBe(0)
    await subscription.stop()
  }, 120_000)
}
