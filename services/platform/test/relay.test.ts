import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import type { BusMessage, EventBus } from '../src/events/port.ts'
import { connectionOptions, postgresDatabase } from '../src/database/database.ts'
import { outboxFloor } from '../src/events/outbox-floor.ts'
import type { OutboxEvent } from '../src/events/append.ts'
import { startRelay } from '../src/events/forwarder.ts'
import { writtenEvents } from '../src/events/written-events.ts'
import { Counted, outboxSource } from './outbox-source.ts'

const PATIENCE = { timeout: 20_000, interval: 25 }

async function startSource() {
  const source = await outboxSource()
  const { db, url, logger } = source
  const connection = new pg.Client(connectionOptions(url, 'source'))
  await connection.connect()
  const sent: BusMessage['value'][] = []
  const bus: Pick<EventBus, 'publish'> = {
    publish: async (_topic, messages) => void sent.push(...messages.map(({ value }) => value)),
  }
  return {
    ...source,
    connection,
    sent,
    /** Holds back until it is released. */
    relay: async () => {
      let isHeld = true
      const relay = await new Promise<ReturnType<typeof startRelay>>((resolve) => {
        const started = startRelay({
          url,
          schema: 'source',
          db,
          bus: bus as EventBus,
          logger,
          waits: () => isHeld,
          onLead: (leads) => leads && resolve(started),
        })
      })
      return { ...relay, release: () => (isHeld = false) }
    },
    numbers: () => sent.map((text) => (JSON.parse(text) as { data: { n: number } }).data.n),
    isAllMarked: async () => (await db.query('select id from outbox_unsent')).rowCount === 0,
    [Symbol.asyncDispose]: async () => {
      await connection.end()
      await source[Symbol.asyncDispose]()
    },
  }
}

type Source = Awaited<ReturnType<typeof startSource>>

/** A transaction that has changed something. */
async function openWriter(source: Source) {
  const connection = await source.db.pool.connect()
  await connection.query('begin')
  await connection.query(`insert into tally (uid) values (gen_random_uuid())`)
  return {
    emit: (uid: string, n: number) =>
      connection.query(
        `select outbox_write(array[$1], array[1], array[1], array[1], array[gen_random_uuid()], array['prelude.songs'],
           array['Counted'], array[1], 0, array['c'], array[null], array[$2])`,
        [uid, JSON.stringify({ uid, n })],
      ),
    markAll: () => connection.query('delete from outbox_unsent'),
    commit: async () => {
      await connection.query('commit')
      connection.release()
    },
  }
}

/** Others' transactions on the same server hold the floor up too, for a moment. */
function floorOf(source: Source) {
  const floor = outboxFloor(source.connection)
  return {
    ...floor,
    rises: (seen: number, to: number) =>
      vi.waitFor(async () => {
        await floor.raise(seen)
        expect(floor.current()).toBe(to)
      }, PATIENCE),
    stays: async (seen: number, at: number) => {
      for (let look = 0; look < 4; look++) {
        await floor.raise(seen)
        expect(floor.current()).toBe(at)
      }
    },
  }
}

afterEach(() => {
  vi.useRealTimers()
})

test('the floor rises as events are sent, up to the first that waits', async () => {
  await using source = await startSource()
  const floor = floorOf(source)
  for (const n of [1, 2, 3]) await source.emit('u', n)
  await floor.stays(3, 0)
  await source.db.query('delete from outbox_unsent where id = 1 or id = 3')
  await floor.rises(3, 1)
  await source.db.query('delete from outbox_unsent')
  await floor.rises(3, 3)
})

test('the floor stays below an id that commits late, also when who drew it began to write after who drew the next', async () => {
  await using source = await startSource()
  const floor = floorOf(source)
  const [early, late] = [await openWriter(source), await openWriter(source)]
  await late.emit('a', 1)
  await early.emit('b', 2)
  await early.markAll() // here, so that no transaction that began to write later than the late one is over
  await early.commit()
  await floor.stays(2, 0)
  await late.commit()
  await floor.stays(2, 0)
  await source.db.query('delete from outbox_unsent')
  await floor.rises(2, 2)
})

test('the floor is lowered by what is put back to be sent again, and forgotten when it is old', async () => {
  await using source = await startSource()
  const floor = floorOf(source)
  for (const n of [1, 2, 3]) await source.emit('u', n)
  await source.db.query('delete from outbox_unsent')
  await floor.rises(3, 3)
  await source.db.query('insert into outbox_unsent select id, key from outbox where id = 2')
  await floor.raise(3)
  expect(floor.current()).toBe(1)
  await source.db.query('delete from outbox_unsent')
  await floor.rises(3, 3)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2_000 })
  expect(floor.current()).toBe(0)
})

test('the leader takes what its process has written from memory and reads what another wrote, in the order of their numbers', async () => {
  await using source = await startSource()
  const relay = await source.relay()
  const other = postgresDatabase({ url: source.url, schema: 'source', logger: source.logger })
  source.db.onEmit(relay.wake)
  await source.emit('u', 1)
  await other.transaction(async (tx) => tx.emit(Counted, { uid: 'u', n: 2 }))
  await source.emit('u', 3)
  await source.db.query(`update outbox set data = '{"uid": "u", "n": 99}' where seq <> 2`)
  relay.release()
  await vi.waitFor(() => expect(source.numbers()).toEqual([1, 2, 3]), PATIENCE)
  await relay.stop()
  await other.close()
})

test('an event that is sent again says what it said the first time', async () => {
  await using source = await startSource()
  const relay = await source.relay()
  source.db.onEmit(relay.wake)
  relay.release()
  await source.emit('ü "\\{}', 1)
  await vi.waitFor(() => expect(source.isAllMarked()).resolves.toBe(true), PATIENCE)
  await source.db.query('insert into outbox_unsent select id, key from outbox')
  relay.wake()
  await vi.waitFor(() => expect(source.sent).toHaveLength(2), PATIENCE)
  await relay.stop()
  const [first, second] = source.sent.map((text) => JSON.parse(text) as unknown)
  expect(first).toMatchObject({ type: 'Counted', key: 'ü "\\{}', seq: 1, data: { n: 1 } })
  expect(second).toEqual(first)
})

test('what the relay is given is sent only when it stands in the outbox', async () => {
  await using source = await startSource()
  const relay = await source.relay()
  relay.release()
  const told: OutboxEvent = {
    id: 1,
    topic: 'prelude.songs',
    key: 'u',
    seq: 1,
    type: 'Counted',
    text: '{"data":{"n":99}}',
  }
  relay.wake([{ ...told, id: 77 }])
  await source.emit('u', 1)
  relay.wake()
  await vi.waitFor(() => expect(source.numbers()).toEqual([1]), PATIENCE)
  await vi.waitFor(() => expect(source.isAllMarked()).resolves.toBe(true), PATIENCE)
  await relay.stop()
  expect(source.numbers()).toEqual([1])
})

test('many events of many people in one transaction are numbered one after the other for each, as they were emitted', async () => {
  await using source = await startSource()
  const relay = await source.relay()
  source.db.onEmit(relay.wake)
  await source.emit('b', 0)
  await source.db.transaction(async (tx) => {
    for (const [n, uid] of ['c', 'a', 'b', 'a', 'b', 'B'].entries()) tx.emit(Counted, { uid, n })
  })
  relay.release()
  await vi.waitFor(() => expect(source.sent).toHaveLength(7), PATIENCE)
  await relay.stop()
  const told = source.sent.map(
    (text) => JSON.parse(text) as { key: string; seq: number; data: { n: number } },
  )
  const of = (uid: string) => told.flatMap(({ key, seq, data }) => (key === uid ? [[seq, data.n]] : []))
  expect([of('a'), of('b'), of('c'), of('B')]).toEqual([
    [
      [1, 1],
      [2, 3],
    ],
    [
      [1, 0],
      [2, 2],
      [3, 4],
    ],
    [[1, 0]],
    [[1, 5]],
  ])
  const { rows } = await source.db.query(
    `select key, seq, (data ->> 'n')::integer as n from outbox order by id`,
  )
  expect(rows).toEqual(told.map(({ key, seq, data }) => ({ key, seq, n: data.n })))
})

test('of what was written lately the oldest go when it is too much, and each is asked for once', () => {
  const written = writtenEvents()
  const text = 'x'.repeat(3_000_000)
  const events = [1, 2, 3].map((id): OutboxEvent => ({
    id,
    topic: 'prelude.songs',
    key: 'u',
    seq: id,
    type: 'Counted',
    text,
  }))
  written.add(events)
  expect([1, 2, 3, 3].map((id) => written.take(id)?.id)).toEqual([undefined, 2, 3, undefined])
  written.add(events.slice(0, 2))
  expect([1, 2].map((id) => written.take(id)?.id)).toEqual([1, 2])
})
