import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import type { BusMessage } from '../../src/events/port.ts'
import { MessageRefused } from '../../src/events/message-refused.ts'
import { membersConformance } from './bus-members.ts'
import { type BusUnderTest, numbers, PATIENCE, TOPIC, upTo, valuesOf } from './bus-under-test.ts'

/** What every EventBus must keep. `open` makes an adapter on a server of its own. */
export function busConformance(name: string, open: () => Promise<BusUnderTest>): void {
  const fresh = async () => {
    const opened = await open()
    await opened.bus.createTopics([TOPIC, 'prelude.credits'])
    return opened
  }
  membersConformance(name, fresh)

  test(`${name}: a group sees what was published before it came and after, each key in order`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const seen: BusMessage[] = []
    await bus.publish(
      TOPIC,
      [0, 1, 2].map((n) => ({ key: 'a', value: String(n) })),
    )
    const group = randomUUID()
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const subscription = await bus.subscribe({ group, topics: [TOPIC], handle })
    await bus.publish(
      TOPIC,
      [3, 4].map((n) => ({ key: 'a', value: String(n) })),
    )
    await vi.waitFor(() => expect(numbers(seen, 'a')).toEqual([0, 1, 2, 3, 4]), PATIENCE)
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), PATIENCE)
    await subscription.stop()
  })

  test(`${name}: what topics keep is counted, also when all have read it`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    expect(await bus.held([TOPIC, 'prelude.storage'])).toBe(0)
    await bus.publish(
      TOPIC,
      [0, 1, 2].map((n) => ({ key: `k${n}`, value: String(n) })),
    )
    await bus.publish('prelude.credits', [{ key: 'k', value: 'x' }])
    const seen: BusMessage[] = []
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const subscription = await bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle })
    await vi.waitFor(() => expect(seen).toHaveLength(3), PATIENCE)
    await subscription.stop()
    expect([await bus.held([TOPIC]), await bus.held([TOPIC, 'prelude.credits'])]).toEqual([3, 4])
  })

  test(`${name}: six concurrent writers of own keys lose nothing and stay in order per key`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const seen: BusMessage[] = []
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const subscription = await bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle })
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    await Promise.all(
      keys.map(async (key) => {
        for (let n = 0; n < 50; n++) await bus.publish(TOPIC, [{ key, value: String(n) }])
      }),
    )
    await vi.waitFor(() => expect(seen).toHaveLength(300), PATIENCE)
    for (const key of keys) expect(numbers(seen, key)).toEqual(Array.from({ length: 50 }, (_, n) => n))
    await subscription.stop()
  })

  test(`${name}: a batch whose handling fails comes again, and nothing after it is lost`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const seen: BusMessage[] = []
    let failures = 2
    const subscription = await bus.subscribe({
      group: randomUUID(),
      topics: [TOPIC],
      handle: async (batch) => {
        if (failures-- > 0) throw new SyntaxError('a handler that throws')
        seen.push(...batch)
      },
    })
    await bus.publish(
      TOPIC,
      [0, 1, 2].map((n) => ({ key: 'a', value: String(n) })),
    )
    await vi.waitFor(() => expect([...new Set(numbers(seen, 'a'))]).toEqual([0, 1, 2]), PATIENCE)
    await subscription.stop()
  })

  test(`${name}: two groups each see everything; two members of one group share it`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const [one, two, other]: BusMessage[][] = [[], [], []]
    const group = randomUUID()
    const into = (list: BusMessage[]) => async (batch: readonly BusMessage[]) => void list.push(...batch)
    const subscriptions = [
      await bus.subscribe({ group, topics: [TOPIC], handle: into(one!) }),
      await bus.subscribe({ group, topics: [TOPIC], handle: into(two!) }),
      await bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle: into(other!) }),
    ]
    for (let n = 0; n < 20; n++) await bus.publish(TOPIC, [{ key: `k${n % 5}`, value: String(n) }])
    await vi.waitFor(() => expect(new Set(other!.map((m) => m.value)).size).toBe(20), PATIENCE)
    await vi.waitFor(() => expect(new Set([...one!, ...two!].map((m) => m.value)).size).toBe(20), PATIENCE)
    for (const subscription of subscriptions) await subscription.stop()
  })

  test(`${name}: when a member stops in the middle, another goes on from what was acknowledged`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const group = randomUUID()
    const seen: BusMessage[] = []
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const first = await bus.subscribe({ group, topics: [TOPIC], handle })
    await bus.publish(TOPIC, [{ key: 'a', value: '0' }])
    await vi.waitFor(() => expect(seen).toHaveLength(1), PATIENCE)
    await first.stop()
    await bus.publish(TOPIC, [{ key: 'a', value: '1' }])
    const second = await bus.subscribe({ group, topics: [TOPIC], handle })
    await vi.waitFor(() => expect([...new Set(numbers(seen, 'a'))]).toEqual([0, 1]), PATIENCE)
    await second.stop()
  })

  test(`${name}: one topic that is held up does not hold up another`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const release = Promise.withResolvers<undefined>()
    const seen: string[] = []
    const subscription = await bus.subscribe({
      group: randomUUID(),
      topics: [TOPIC, 'prelude.credits'],
      handle: async (batch) => {
        if (batch[0]?.topic === TOPIC) await release.promise
        seen.push(...batch.map((message) => message.topic))
      },
    })
    await bus.publish(TOPIC, [{ key: 'a', value: 'held' }])
    await bus.publish('prelude.credits', [{ key: 'a', value: 'free' }])
    await vi.waitFor(() => expect(seen).toEqual(['prelude.credits']), PATIENCE)
    release.resolve(undefined)
    await vi.waitFor(() => expect(seen).toEqual(['prelude.credits', TOPIC]), PATIENCE)
    await subscription.stop()
  })

  test(`${name}: an event over the size limit is refused by name and place, and nothing of its batch is sent`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const batch = [
      { key: 'a', value: 'fine' },
      { key: 'b', value: 'x'.repeat(1_100_000) },
    ]
    const refused = await bus.publish(TOPIC, batch).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(MessageRefused)
    expect((refused as MessageRefused).index).toBe(1)
    const seen: BusMessage[] = []
    const handle = async (messages: readonly BusMessage[]) => void seen.push(...messages)
    const subscription = await bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle })
    await bus.publish(TOPIC, [{ key: 'c', value: 'after' }])
    await vi.waitFor(() => expect(seen.map((message) => message.value)).toEqual(['after']), PATIENCE)
    await subscription.stop()
  })

  test(`${name}: a batch far larger than one message may be arrives whole and in order`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const seen: BusMessage[] = []
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const subscription = await bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle })
    await bus.publish(
      TOPIC,
      upTo(40).map((n) => ({ key: 'a', value: `${n}`.padStart(100_000, '0') })),
    )
    await vi.waitFor(() => expect(numbers(seen, 'a')).toEqual(upTo(40)), PATIENCE)
    await subscription.stop()
  })

  test(`${name}: topics can be created again, and an empty batch is no message`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    await bus.createTopics([TOPIC, 'prelude.credits', 'prelude.gateway'])
    await bus.publish(TOPIC, [])
    const subscription = await bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle: async () => {} })
    await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), PATIENCE)
    await subscription.stop()
  })

  test(`${name}: a handler that never succeeds does not hold up the end of its subscription`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const group = randomUUID()
    const tried = Promise.withResolvers<undefined>()
    const failing = await bus.subscribe({
      group,
      topics: [TOPIC],
      handle: async () => {
        tried.resolve(undefined)
        throw new TypeError('never')
      },
    })
    await bus.publish(TOPIC, valuesOf('a', [0]))
    await tried.promise
    await failing.stop()
    const seen: BusMessage[] = []
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const next = await bus.subscribe({ group, topics: [TOPIC], handle })
    await vi.waitFor(() => expect(numbers(seen, 'a')).toEqual([0]), PATIENCE)
    await next.stop()
  })
}
