import { expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import type { Database, Rows } from '../src/database/index.ts'
import { TimedOut } from '../src/errors.ts'
import { type BatchHandler, type Handler, on, onMany, partitionOf } from '../src/events/index.ts'
import { replayJob } from '../src/events/replay.ts'
import { eventually } from './support/eventually.ts'
import { blockedConnections, holdOpen, testLogger } from './support/index.ts'
import { Counted, TOPIC } from './conformance/counted.ts'
import { add, event, startSink } from './sink.ts'

/** The same database; `around` does each transaction. */
const wrapped = (db: Database, around: Database['transaction']): Database =>
  new Proxy(db, { get: (real, name) => (name === 'transaction' ? around : Reflect.get(real, name)) })

/** A handler that adds, and the sizes of the batches that it got. */
function counting() {
  const sizes: number[] = []
  const handle: BatchHandler<typeof Counted> = async (events, tx) => {
    sizes.push(events.length)
    for (const one of events) await add(one, tx)
  }
  return { sizes, subscriber: onMany(Counted, handle) }
}

const replay = (db: Database, consumer: ReturnType<Awaited<ReturnType<typeof startSink>>['newConsumer']>) =>
  replayJob({ db, consumer, clock: systemClock, logger: testLogger() }).run(new AbortController().signal)

const requestReplay = (db: Database) => db.query('update dead_letter set replay_requested_at = now()')

/** So many events of one key are dead letters, their handler is repaired, and their replay is requested. */
async function sinkToReplay(events: number) {
  let poisoned = true
  const handle: Handler<typeof Counted> = async (one, tx) => {
    if (poisoned) throw new Error('a bug')
    await add(one, tx)
  }
  const sink = await startSink(on(Counted, handle))
  await sink.receive(...Array.from({ length: events }, (_, i) => event(i + 1)))
  poisoned = false
  await requestReplay(sink.service.db)
  return sink
}

test('a batch of any size is handled in transactions of at most 250 events', async () => {
  const { sizes, subscriber } = counting()
  await using sink = await startSink(subscriber)
  const messages = Array.from({ length: 620 }, (_, i) => event(i + 1, `u${i}`))
  await sink.newConsumer().receive({ ...sink.batchOf(messages), resumesAtCursor: false })
  expect(sizes).toEqual([250, 250, 120])
  expect(await sink.cursor()).toEqual({ position: 620, taken: 620 })
})

test('of the parked keys a batch reads only its own', async () => {
  await using sink = await startSink(on(Counted, add))
  const { db } = sink.service
  await db.query(`insert into parked_key (topic, key) select $1, 'u' || n from generate_series(1, 50) n`, [
    TOPIC,
  ])
  const read: string[] = []
  const counted = wrapped(db, (work, options) =>
    db.transaction((tx) => {
      const query = async <R>(sql: string, params?: readonly unknown[]): Promise<Rows<R>> => {
        const answer = await tx.query<R>(sql, params)
        for (const { parked } of answer.rows as { parked?: string[] }[]) if (parked) read.push(...parked)
        return answer
      }
      return work({ ...tx, query })
    }, options),
  )
  await sink.newConsumer(counted).receive(sink.batchOf([event(1, 'u7'), event(2, 'other')]))
  expect(read).toEqual(['u7'])
  expect(await sink.totals()).toEqual({ other: 1 })
})

test('a cursor that another transaction holds is waited for: no batch is halved, and no event is parked, for it', async () => {
  const { sizes, subscriber } = counting()
  await using sink = await startSink(subscriber)
  const { db } = sink.service
  await sink.receive(event(1))
  const release = await holdOpen(db, (tx) =>
    tx.query('select from cursor where topic = $1 for update', [TOPIC]),
  )
  let attempts = 0
  const impatient = wrapped(db, (work, options) =>
    db.transaction(async (tx) => {
      attempts += 1
      await tx.query(`set local statement_timeout = '100ms'`)
      return work(tx)
    }, options),
  )
  const receiving = sink.newConsumer(impatient).receive(sink.batchOf([event(2), event(3, 'other')]))
  await eventually(() => expect(attempts).toBeGreaterThan(5))
  await Promise.all([release(), receiving])
  expect(sizes).toEqual([1, 2])
  expect((await db.query('select from dead_letter')).rowCount).toBe(0)
})

test('a key that is parked while its consumer waits for the cursor is parked for it', async () => {
  await using sink = await startSink(on(Counted, add))
  const { db } = sink.service
  await sink.receive(event(1))
  let receiving: Promise<void> | undefined
  await db.transaction(async (tx) => {
    await tx.query('select from cursor where topic = $1 for update', [TOPIC])
    receiving = sink.receive(event(2), event(3, 'other'))
    await eventually(async () => expect(await blockedConnections(db)).toBe(1))
    await tx.query(`insert into parked_key (topic, key) values ($1, 'u')`, [TOPIC])
  })
  await receiving
  expect(await sink.totals()).toEqual({ u: 1, other: 1 })
})

test('each answer that a handler gets counts as an attempt, so that a long one is not taken for a consumer that hangs', async () => {
  let attempts = 0
  const seen: number[] = []
  const handle: Handler<typeof Counted> = async (_, tx) => {
    for (let i = 0; i < 3; i++) {
      await tx.query('select 1')
      seen.push(attempts)
    }
  }
  await using sink = await startSink(on(Counted, handle))
  await sink.newConsumer().receive(sink.batchOf([event(1)]), () => void attempts++)
  expect(seen[1]).toBeGreaterThan(seen[0]!)
  expect(seen[2]).toBeGreaterThan(seen[1]!)
})

test('a replay holds up the partition of its key alone', async () => {
  const [key, other] = ['u', 'u2']
  const partitionFor = (one: string) => ({ partition: partitionOf(one, 12), partitions: 12 })
  expect(partitionFor(key)).not.toEqual(partitionFor(other))
  const begun = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let faults = 3
  const handled: number[] = []
  const handle: Handler<typeof Counted> = async (one) => {
    if (one.position === 1 && faults-- > 0) throw new Error('a bug')
    if (one.position === 1) {
      begun.resolve()
      await release.promise
    }
    handled.push(one.position)
  }
  await using sink = await startSink(on(Counted, handle))
  const { db } = sink.service
  const consumer = sink.newConsumer()
  const receive = (one: ReturnType<typeof event>) =>
    consumer.receive({ ...sink.batchOf([one]), ...partitionFor(one.key), resumesAtCursor: false })
  await receive(event(1, key))
  await receive(event(2, other))
  await requestReplay(db)
  const replaying = replay(db, consumer)
  await begun.promise
  await receive(event(3, other))
  const waiting = receive(event(4, key))
  expect(handled).toEqual([2, 3])
  release.resolve()
  await Promise.all([replaying, waiting])
  await requestReplay(db)
  await replay(db, consumer)
  expect(handled).toEqual([2, 3, 1, 4])
})

test('a replay whose commit had no answer goes on with the events behind it', async () => {
  await using sink = await sinkToReplay(3)
  const { db } = sink.service
  let lost = 1
  const losing = wrapped(db, async (work, options) => {
    const result = await db.transaction(work, options)
    if (lost-- > 0) throw new TimedOut('the database')
    return result
  })
  await replay(losing, sink.newConsumer())
  await replay(losing, sink.newConsumer())
  expect(await sink.totals()).toEqual({ u: 3 })
})

test('a replay that is interrupted after the last event of a key leaves no parked key', async () => {
  await using sink = await sinkToReplay(1)
  const { db } = sink.service
  const interrupted = new AbortController()
  const interrupting = wrapped(db, async (work, options) => {
    const result = await db.transaction(work, options)
    interrupted.abort()
    return result
  })
  const job = { db: interrupting, consumer: sink.newConsumer(), clock: systemClock, logger: testLogger() }
  await replayJob(job).run(interrupted.signal)
  expect(await sink.totals()).toEqual({ u: 1 })
  expect((await db.query('select from parked_key')).rowCount).toBe(0)
})

test('of an event that fails again only its own letter names the error, and all of its key wait for a new request', async () => {
  await using sink = await startSink(on(Counted, () => Promise.reject(new Error('a bug'))))
  const { db } = sink.service
  await sink.receive(event(1), event(2))
  await db.query(`update dead_letter set error = 'the one before'`)
  await requestReplay(db)
  await replay(db, sink.newConsumer())
  const { rows } = await db.query(
    'select error, replay_requested_at as "requestedAt" from dead_letter order by id',
  )
  expect(rows).toEqual([
    { error: 'Error: a bug', requestedAt: null },
    { error: 'the one before', requestedAt: null },
  ])
})
