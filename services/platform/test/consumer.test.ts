import { topicOf } from '@prelude/contracts'
import { fastify, type FastifyBaseLogger } from 'fastify'
import { expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { AppError, Unavailable } from '../src/errors.ts'
import { type BatchHandler, discardDeadLetter, type Handler, on, onMany } from '../src/events/index.ts'
import { startJob } from '../src/host/jobs.ts'
import { registerProblems } from '../src/http/problems.ts'
import { createLogger } from '../src/observability/index.ts'
import { ignore, isDue, movePast } from '../src/events/progress.ts'
import { runsOf } from '../src/events/runs.ts'
import { replayJob } from '../src/events/replay.ts'
import { createConsumer, testLogger, type TestService } from './support/index.ts'
import { Counted, TOPIC } from './conformance/counted.ts'
import { add, event, startSink } from './sink.ts'

/** What `credits` emits for each event; `n` is the position of its cause. */
const Added = { ...Counted, topic: topicOf('credits'), type: 'Added' } as const

/** The causes of all events emitted: position and correlation id of each. */
const causesOf = async (service: TestService) =>
  (await service.emitted())
    .map(({ data, correlationId }) => [(data as { n: number }).n, correlationId] as const)
    .toSorted(([one], [other]) => one - other)

test('a message that comes again, alone, within a batch or behind later ones, has one effect', async () => {
  await using sink = await startSink(on(Counted, add))
  await sink.receive(event(1), event(2))
  await sink.receive(event(2))
  await sink.receive(event(1), event(2), event(3), event(3))
  await sink.receive(event(2), event(7))
  expect(await sink.totals()).toEqual({ u: 4 })
  expect(await sink.cursor()).toEqual({ position: 7, taken: 4 })
})

test('of two consumers with the same batch one is rolled back, and reads on from the cursor', async () => {
  await using sink = await startSink(on(Counted, add))
  const [first, second] = [sink.newConsumer(), sink.newConsumer()]
  await Promise.all([first.position(TOPIC), second.position(TOPIC)])
  await first.receive(sink.batchOf([event(1), event(2)]))
  await expect(second.receive(sink.batchOf([event(1)]))).rejects.toThrow('has moved the cursor')
  expect(await second.position(TOPIC)).toBe(2)
  await second.receive(sink.batchOf([event(2), event(3)]))
  expect(await sink.totals()).toEqual({ u: 3 })
})

test('a batch handler gets the events of its type together, those of one key in order, and each is the cause of what it emits', async () => {
  const sizes: number[] = []
  const addMany: BatchHandler<typeof Counted> = async (events, tx) => {
    sizes.push(events.length)
    for (const one of events) {
      await add(one, tx)
      tx.emit(Added, { uid: one.key, n: one.position }, one)
    }
  }
  await using sink = await startSink(onMany(Counted, addMany))
  const messages = Array.from({ length: 20 }, (_, i) => event(i + 1, `u${i % 3}`))
  await sink.receive(...messages)
  expect(sizes).toEqual([20])
  expect(await sink.totals()).toEqual({ u0: 7, u1: 7, u2: 6 })
  expect(await causesOf(sink.service)).toEqual(
    messages.map(({ position, correlationId }) => [position, correlationId]),
  )
})

test('each event of a batch is the cause of what its own handler emits', async () => {
  await using sink = await startSink(
    on(Counted, async (one, tx) => tx.emit(Added, { uid: one.key, n: one.position })),
  )
  const messages = [event(1, 'u1'), event(2, 'u2'), event(3, 'u1')]
  await sink.receive(...messages)
  expect(await causesOf(sink.service)).toEqual(
    messages.map(({ position, correlationId }) => [position, correlationId]),
  )
})

test('a batch that fails is halved until the failing event is alone; its key is parked, the others have their effect', async () => {
  await using sink = await startSink(
    on(Counted, async (one, tx) => {
      if (one.data.n === 13) throw new AppError('song_not_found')
      await add(one, tx)
    }),
  )
  const messages = Array.from({ length: 16 }, (_, i) => event(i + 1, `u${i % 4}`, i === 5 ? 13 : 1))
  await sink.receive(...messages)
  expect(await sink.totals()).toEqual({ u0: 4, u1: 1, u2: 4, u3: 4 })
  const { rows } = await sink.service.db.query('select key, position from dead_letter order by id')
  expect(rows).toEqual([6, 10, 14].map((position) => ({ key: 'u1', position })))
  expect(await sink.cursor()).toEqual({ position: 16, taken: 16 })
})

/** A value of another type, which the message quotes, and a row without a value, which the detail quotes. */
const REFUSED = [
  `insert into tally (uid, total) values ('u', ($1::text)::bigint)`,
  `insert into tally (uid, last_position) values ($1, null)`,
]

test('what the database refuses is quoted in no dead letter, log line or answer', async () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'trace', pretty: false }, { write: (line) => void lines.push(line) })
  await using sink = await startSink(
    on(Counted, async ({ data: { n } }, tx) => void (await tx.query(REFUSED[n] ?? '', ['planted']))),
  )
  const { db } = sink.service
  const consumer = sink.newConsumer(db, logger)
  await consumer.receive(sink.batchOf([event(1, 'a', 0), event(2, 'b', 1)]))
  await db.query('update dead_letter set replay_requested_at = now()')
  await replayJob({ db, consumer, clock: systemClock, logger }).run(new AbortController().signal)
  const loggerInstance: FastifyBaseLogger = logger
  const app = fastify({ loggerInstance })
  registerProblems(app)
  app.get('/:n', async ({ params }) => db.query(REFUSED[(params as { n: number }).n] ?? '', ['planted']))
  const answers = [(await app.inject('/0')).body, (await app.inject('/1')).body]
  for (const sql of REFUSED) {
    const { promise: ran, resolve } = Promise.withResolvers<void>()
    const run = async (): Promise<void> => void (await db.query(sql, ['planted']))
    const job = startJob({ name: 'store', everyMs: 60_000, run }, systemClock, logger, () => resolve())
    await ran
    await job.stop()
  }
  const { rows } = await db.query<{ error: string }>('select error from dead_letter order by id')
  expect(rows.map(({ error }) => error)).toEqual([
    'error: the database refused a value: 22P02 (pg_strtoint64_safe)',
    'error: null value in column "last_position" of relation "tally" violates not-null constraint',
  ])
  expect(lines.filter((line) => line.includes('"err":{')).length).toBeGreaterThanOrEqual(8)
  expect([...lines, ...answers].filter((text) => text.includes('planted'))).toEqual([])
})

test('ignored events are counted though the process ends: where a broker keeps the offset, the cursor is stored at once', async () => {
  await using sink = await startSink(on(Counted, add))
  const ignored = [1, 2].map((position) => ({ ...event(position), type: 'Ignored', for: [] }))
  await sink.newConsumer().receive({ ...sink.batchOf(ignored), resumesAtCursor: false })
  expect(await sink.cursor()).toEqual({ position: 2, taken: 2 })
  const crashed = sink.newConsumer()
  await crashed.receive(sink.batchOf([{ ...event(3), type: 'Ignored', for: [] }]))
  await sink.newConsumer().receive(sink.batchOf([{ ...event(3), type: 'Ignored', for: [] }, event(4)]))
  expect(await sink.cursor()).toEqual({ position: 4, taken: 4 })
  await crashed.close() // too late: another consumer has moved the cursor
  expect(await sink.cursor()).toEqual({ position: 4, taken: 4 })
})

test('a cursor lingers behind ignored events from the first of them on', () => {
  const partition = { topic: TOPIC, partition: 0, partitions: 1 }
  const progress = { partition, stored: 2, reached: 2, ignored: 0, ignoredAt: 0 }
  expect(isDue(progress, 9_000)).toBe(false)
  ignore(progress, [{ position: 3 }, { position: 5 }], 10_000)
  ignore(progress, [{ position: 6 }], 14_000)
  expect([14_999, 15_000].map((now) => isDue(progress, now))).toEqual([false, true])
  expect(movePast(progress, [])).toEqual({ from: 2, to: 6, taken: 3 })
  expect(movePast(progress, [{ position: 7 }])).toEqual({ from: 2, to: 7, taken: 4 })
})

test('ignored events stay counted when their cursor cannot be stored', async () => {
  await using sink = await startSink(on(Counted, add))
  const { db } = sink.service
  let outages = 1
  const query = (sql: string, values?: unknown[]) =>
    sql.includes('move_cursor') && outages-- > 0 ? Promise.reject(new Error('away')) : db.query(sql, values)
  const failing = new Proxy(db, { get: (real, name) => (name === 'query' ? query : Reflect.get(real, name)) })
  const consumer = sink.newConsumer(failing)
  await consumer.receive(
    sink.batchOf([1, 2].map((position) => ({ ...event(position), type: 'Ignored', for: [] }))),
  )
  await consumer.close()
  expect(await sink.cursor()).toEqual({ position: 0, taken: 0 })
  await consumer.receive(sink.batchOf([event(3)]))
  expect(await sink.cursor()).toEqual({ position: 3, taken: 3 })
})

test('runs are of one type, as long as the order of each key allows', () => {
  const of = (position: number, key: string, type: string) => ({ ...event(position, key), type })
  const runs = [
    ...runsOf([of(1, 'b', 'A'), of(2, 'a', 'A'), of(3, 'a', 'B'), of(4, 'b', 'A'), of(5, 'a', 'A')]),
  ]
  expect(runs.map((run) => run.map(({ position }) => position))).toEqual([[2, 1, 4], [3], [5]])
})

test('a message that its service did not sign has no effect, is counted, and is not replayed, however like an event', async () => {
  await using sink = await startSink(on(Counted, add))
  const { db } = sink.service
  const forged: string[] = []
  const consumer = createConsumer({
    service: 'credits',
    db,
    subscribers: [on(Counted, add)],
    logger: testLogger(),
    onForged: (topic) => void forged.push(topic),
  })
  const value = JSON.stringify(event(1, 'u', 777))
  const problem = 'not signed by the service that owns the topic'
  await consumer.receive({ ...sink.batchOf([]), messages: [{ key: 'u', value, problem }, event(2, 'other')] })
  expect(forged).toEqual([TOPIC])
  expect(await sink.totals()).toEqual({ other: 1 })
  await db.query('update dead_letter set replay_requested_at = now()')
  await replayJob({ db, consumer, clock: systemClock, logger: testLogger() }).run(
    new AbortController().signal,
  )
  expect(await sink.totals()).toEqual({ other: 1 })
  const { rows } = await db.query('select position, error from dead_letter where resolved_at is null')
  expect(rows).toEqual([{ position: null, error: 'Error: not an event; discard it' }])
})

test('a replay waits for a dependency that is down, with nothing asked again', async () => {
  const faults = [...Array.from({ length: 3 }, () => new Error('a bug')), new Unavailable('the store')]
  const handle: Handler<typeof Counted> = async (one, tx) => {
    const fault = faults.shift()
    if (fault) throw fault
    await add(one, tx)
  }
  await using sink = await startSink(on(Counted, handle))
  const { db } = sink.service
  const consumer = sink.newConsumer()
  await consumer.receive(sink.batchOf([event(1)]))
  expect(await sink.totals()).toEqual({})
  await db.query('update dead_letter set replay_requested_at = now()')
  const replay = replayJob({ db, consumer, clock: systemClock, logger: testLogger() })
  await replay.run(new AbortController().signal)
  expect([faults, await sink.totals()]).toEqual([[], {}])
  await replay.run(new AbortController().signal)
  expect(await sink.totals()).toEqual({ u: 1 })
})

test('a message that is no event is one dead letter however often it is delivered, and once discarded parks nothing', async () => {
  await using sink = await startSink(on(Counted, add))
  const { db } = sink.service
  const deliver = async () => {
    const messages = [{ key: 'u', value: '{', problem: 'not an event' } as const, event(1)]
    await sink.newConsumer().receive({ ...sink.batchOf([]), messages })
  }
  await deliver()
  await deliver()
  const { rows } = await db.query<{ id: number; position: number | null }>(
    'select id, position from dead_letter order by id',
  )
  expect(rows.map(({ position }) => position)).toEqual([null, 1])
  await discardDeadLetter(db, rows[0]!.id, Date.now())
  await replayJob({ db, consumer: sink.newConsumer(), clock: systemClock, logger: testLogger() }).run(
    new AbortController().signal,
  )
  await deliver()
  expect((await db.query('select from parked_key')).rowCount).toBe(0)
  expect(await sink.totals()).toEqual({ u: 1 })
})
