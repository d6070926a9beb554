import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { open } from '../../src/host/open.ts'
import type { BusMessage, EventBus } from '../../src/events/port.ts'
import { testLogger } from '../../src/testing/index.ts'
import { type BusUnderTest, numbers, PATIENCE, TOPIC, upTo, valuesOf } from './bus-under-test.ts'

/** Members that come while others handle, are killed, or were given up but go on. */
export function membersConformance(name: string, fresh: () => Promise<BusUnderTest>): void {
  /** A member whose first batch waits to be released. */
  const holding = async (bus: EventBus, group: string) => {
    const [held, release] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
    const seen: BusMessage[] = []
    const subscription = await bus.subscribe({
      group,
      topics: [TOPIC],
      handle: async (batch) => {
        held.resolve(undefined)
        await release.promise
        seen.push(...batch)
      },
    })
    return { subscription, seen, held: held.promise, release: () => release.resolve(undefined) }
  }

  test(`${name}: a member that joins while another handles takes nothing away from it`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const group = randomUUID()
    const first = await holding(bus, group)
    const keys = ['a', 'b', 'c', 'd']
    for (const key of keys) await bus.publish(TOPIC, valuesOf(key, [0, 1, 2]))
    await first.held
    const seen = first.seen
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const second = await bus.subscribe({ group, topics: [TOPIC], handle })
    for (const key of keys) await bus.publish(TOPIC, valuesOf(key, [3, 4]))
    first.release()
    await vi.waitFor(() => {
      for (const key of keys) expect([...new Set(numbers(seen, key))]).toEqual(upTo(5))
    }, PATIENCE)
    await vi.waitFor(async () => expect(await second.lag()).toBe(0), PATIENCE)
    await Promise.all([first.subscription.stop(), second.stop()])
  })

  test(`${name}: a member that was given up and finishes late neither stops nor sets back its group`, async () => {
    await using opened = await fresh()
    const { bus } = opened
    const group = randomUUID()
    const zombie = await holding(bus, group)
    await bus.publish(TOPIC, valuesOf('a', [0, 1, 2]))
    await zombie.held
    const seen: BusMessage[] = []
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const second = await bus.subscribe({ group, topics: [TOPIC], handle })
    await opened.expel?.()
    await vi.waitFor(() => expect([...new Set(numbers(seen, 'a'))]).toEqual([0, 1, 2]), PATIENCE)
    await bus.publish(TOPIC, valuesOf('a', [3]))
    await vi.waitFor(() => expect(numbers(seen, 'a')).toContain(3), PATIENCE)
    await vi.waitFor(async () => expect(await second.lag()).toBe(0), PATIENCE)
    zombie.release()
    await vi.waitFor(() => expect(numbers(zombie.seen, 'a')).toEqual([0, 1, 2]), PATIENCE)
    await Promise.all([zombie.subscription.stop(), second.stop()])
    await bus.publish(TOPIC, valuesOf('a', [4]))
    const later: BusMessage[] = []
    const third = await bus.subscribe({
      group,
      topics: [TOPIC],
      handle: async (batch) => void later.push(...batch),
    })
    await vi.waitFor(() => expect(numbers(later, 'a')).toEqual([4]), PATIENCE)
    await third.stop()
  })

  test(`${name}: what two processes publish in turn reaches the readers of both, whole and in order`, async () => {
    await using opened = await fresh()
    const here = opened.bus
    const there = open.bus(opened.busUrl, testLogger())
    const seen: BusMessage[][] = [[], []]
    const subscriptions = await Promise.all(
      [here, there].map((bus, i) => {
        const handle = async (batch: readonly BusMessage[]) => void seen[i]?.push(...batch)
        return bus.subscribe({ group: randomUUID(), topics: [TOPIC], handle })
      }),
    )
    for (let n = 0; n < 40; n += 2) {
      await here.publish(TOPIC, valuesOf('a', [n]))
      await there.publish(TOPIC, valuesOf('a', [n + 1]))
    }
    for (const messages of seen)
      await vi.waitFor(() => expect(numbers(messages, 'a')).toEqual(upTo(40)), PATIENCE)
    await Promise.all(subscriptions.map((subscription) => subscription.stop()))
    await there.close()
  })

  test(`${name}: what a member that was killed had in hand goes to another`, async () => {
    await using opened = await fresh()
    const { bus, busUrl } = opened
    const group = randomUUID()
    await bus.publish(TOPIC, valuesOf('a', [0, 1, 2]))
    const member = await memberElsewhere(busUrl, group)
    await bus.publish(TOPIC, valuesOf('a', [3]))
    await member.kill()
    const seen: BusMessage[] = []
    const handle = async (batch: readonly BusMessage[]) => void seen.push(...batch)
    const second = await bus.subscribe({ group, topics: [TOPIC], handle })
    await vi.waitFor(() => expect(numbers(seen, 'a')).toEqual([0, 1, 2, 3]), PATIENCE)
    await second.stop()
  })
}

/** A member in a process of its own, with a batch in hand that it never finishes. */
async function memberElsewhere(busUrl: string, group: string): Promise<{ kill(): Promise<void> }> {
  const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)
  const program = `
    const { open } = await import(${source('open.ts')})
    const { createLogger } = await import(${source('logger.ts')})
    const bus = open.bus(${JSON.stringify(busUrl)}, createLogger({ part: 'test', level: 'silent', pretty: false }))
    await bus.subscribe({
      group: ${JSON.stringify(group)},
      topics: [${JSON.stringify(TOPIC)}],
      handle: () => { console.log('in hand'); return new Promise(() => {}) },
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const early = ended.then(() => Promise.reject(new Error('the other member ended')))
  early.catch(() => {})
  await Promise.race([once(child.stdout, 'data'), early])
  return {
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
