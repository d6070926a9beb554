import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openBus } from '../../src/host/open-bus.ts'
import { eventually } from '../support/eventually.ts'
import { testIdentity, testLogger } from '../support/index.ts'
import { type BusUnderTest, collect, collector, Counted, numbers, openSource, TOPIC, upTo } from './source.ts'

const fromStart = async (): Promise<number> => 0

/** What every EventBus must keep. `make` makes an adapter with a database of its own for the logs. */
export function busConformance(name: string, make: () => Promise<BusUnderTest>): void {
  const fresh = () => openSource(make)
  const group = (): string => randomUUID()

  test(`${name}: a group receives what was emitted before it subscribed and after, in the order of positions`, async () => {
    await using source = await fresh()
    for (const n of [0, 1, 2]) await source.emit('a', n)
    const { seen, subscription } = await collect(source.bus)
    for (const n of [3, 4]) await source.emit('a', n)
    await eventually(() => expect(numbers(seen, 'a')).toEqual(upTo(5)))
    expect(seen.map(({ position }) => position)).toEqual(
      seen.map(({ position }) => position).toSorted((a, b) => a - b),
    )
    await eventually(async () => expect(await subscription.lag()).toBe(0))
    await subscription.stop()
  })

  test(`${name}: six writers, some of whose transactions are rolled back, lose nothing and stay in order per key`, async () => {
    await using source = await fresh()
    const { seen, subscription } = await collect(source.bus)
    await Promise.all(
      upTo(6).map(async (writer) => {
        for (const n of upTo(40)) {
          if (n % 7 === writer) {
            const failing = source.db.transaction(async (tx) => {
              await tx.query('select append_events($1)', [
                JSON.stringify([
                  { id: randomUUID(), key: 'x', type: 'X', version: 1, at: 1, correlationId: 'c', data: {} },
                ]),
              ])
              throw new Error('rolled back')
            })
            await expect(failing).rejects.toThrow('rolled back')
          }
          await source.emit(`w${writer}`, n)
        }
      }),
    )
    for (const writer of upTo(6))
      await eventually(() => expect(numbers(seen, `w${writer}`)).toEqual(upTo(40)))
    await subscription.stop()
  })

  test(`${name}: a transaction that hangs with a drawn position holds back later events, and loses nothing`, async () => {
    await using source = await fresh()
    const { seen, subscription } = await collect(source.bus)
    await source.emit('a', 0)
    await eventually(() => expect(numbers(seen, 'a')).toEqual([0]))
    const hanging = await source.db.pool.connect()
    await hanging.query('begin')
    const event = {
      id: randomUUID(),
      key: 'a',
      type: Counted.type,
      version: 1,
      at: 1,
      correlationId: 'c',
      data: { uid: 'a', n: 1 },
    }
    await hanging.query('select append_events($1)', [JSON.stringify([event])])
    await source.emit('a', 2)
    await source.emit('b', 0)
    await source.ran('pg_snapshot_xmin', 5)
    expect(numbers(seen, 'a')).toEqual([0])
    expect(seen).toHaveLength(1)
    await hanging.query('commit')
    hanging.release()
    await eventually(() => expect(numbers(seen, 'a')).toEqual([0, 1, 2]))
    await eventually(() => expect(numbers(seen, 'b')).toEqual([0]))
    await subscription.stop()
  })

  test(`${name}: a batch that is rejected comes again, and nothing overtakes it`, async () => {
    await using source = await fresh()
    const { seen, receive } = collector()
    let failures = 3
    const subscription = await source.bus.subscribe({
      group: group(),
      topics: [TOPIC],
      from: async () => seen.at(-1)?.position ?? 0,
      receive: async (batch) => {
        if (failures-- > 0) throw new Error('not now')
        await receive(batch)
      },
    })
    for (const n of upTo(10)) await source.emit('a', n)
    await eventually(() => expect(numbers(seen, 'a')).toEqual(upTo(10)))
    await subscription.stop()
  })

  test(`${name}: groups receive independently of each other, and topics too`, async () => {
    await using source = await fresh()
    const stuck = await source.bus.subscribe({
      group: group(),
      topics: [TOPIC],
      from: fromStart,
      receive: async () => {
        throw new Error('never')
      },
    })
    const { seen, subscription } = await collect(source.bus, { topics: [TOPIC, 'prelude.credits'] })
    await source.emit('a', 0)
    await eventually(() => expect(numbers(seen, 'a')).toEqual([0]))
    await Promise.all([stuck.stop(), subscription.stop()])
  })

  test(`${name}: events of another process are received`, async () => {
    await using source = await fresh()
    const there = openBus(source.busUrl, testLogger(), { identity: testIdentity('songs') })
    const { seen, subscription } = await collect(there)
    for (const n of upTo(4)) {
      await source.emit('a', n)
      await eventually(() => expect(numbers(seen, 'a')).toEqual(upTo(n + 1)))
    }
    await subscription.stop()
    await there.close()
  })

  test(`${name}: a consumer of the newest receives events emitted from now on`, async () => {
    await using source = await fresh()
    const { seen, subscription } = await collect(source.bus, { from: 'newest' })
    await source.emit('a', 7)
    await eventually(() => expect(numbers(seen, 'a')).toEqual([7]))
    await subscription.stop()
  })

  test(`${name}: a batch far larger than one read arrives whole and in order`, async () => {
    await using source = await fresh()
    await source.db.transaction(async (tx) => {
      for (const n of upTo(1_200)) tx.emit(Counted, { uid: `u${n % 5}`, n })
    })
    const { seen, subscription } = await collect(source.bus)
    await eventually(() => expect(seen).toHaveLength(1_200))
    for (const i of upTo(5)) expect(numbers(seen, `u${i}`)).toEqual(upTo(240).map((n) => n * 5 + i))
    await subscription.stop()
  })

  test(`${name}: a handler that never succeeds does not hold up the end of its subscription`, async () => {
    await using source = await fresh()
    const tried = Promise.withResolvers<undefined>()
    const failing = await source.bus.subscribe({
      group: group(),
      topics: [TOPIC],
      from: fromStart,
      receive: async () => {
        tried.resolve(undefined)
        throw new TypeError('never')
      },
    })
    await source.emit('a', 0)
    await tried.promise
    await failing.stop()
  })
}
