import { randomUUID } from 'node:crypto'
import type { EventDefinition, EventEnvelope, ServiceName } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { Unavailable } from '../src/errors.ts'
import {
  countParked,
  type Handler,
  listDeadLetters,
  on,
  requestReplayOfAll,
  type Subscriber,
} from '../src/events/index.ts'
import { replayJob } from '../src/events/replay.ts'
import { createConsumer, messageOf, testLogger, testService, wholeLog } from './support/index.ts'
import { Counted, TOPIC } from './conformance/counted.ts'

/** Two versions of one service, side by side on its database: the newer one knows more types and versions of events. */

const HOUR_MS = 60 * 60_000
const CountedAgain = { ...Counted, version: 2 } as const
const Doubled = { ...Counted, type: 'Doubled' } as const

const add =
  (times: number): Handler<EventDefinition<string, typeof Counted.data>> =>
  async ({ data: { uid, n }, position }, tx) => {
    await tx.query(
      `insert into tally (uid, total, last_position) values ($1, $2, $3) on conflict (uid) do update
       set total = tally.total + $2, in_order = tally.in_order and tally.last_position < $3, last_position = $3`,
      [uid, times * n, position],
    )
  }
const OLD = [on(Counted, add(1))]
const NEW = [...OLD, on(CountedAgain, add(10)), on(Doubled, add(100))]

const event = (of: EventDefinition, position: number, uid = 'u') =>
  messageOf(of, { uid, n: 1 }, { id: randomUUID(), position, at: 1 })

async function start() {
  const migrations = new URL('tally/', import.meta.url)
  const service = await testService(() => ({
    name: 'credits',
    migrations,
    subscribers: OLD,
    routes: () => {},
  }))
  const { db, clock } = service
  const logger = testLogger()
  const process = (subscribers: readonly Subscriber[]) => {
    const consumer = createConsumer({ service: 'credits', db, subscribers, logger })
    const job = replayJob({ db, consumer, clock, logger })
    return {
      receive: (...messages: EventEnvelope[]) => consumer.receive(wholeLog(TOPIC, messages)),
      replay: () => job.run(new AbortController().signal),
    }
  }
  return {
    db,
    clock,
    old: () => process(OLD),
    new: (subscribers = NEW) => process(subscribers),
    totals: async () => {
      const { rows } = await db.query<{ uid: string; total: number; in_order: boolean }>(
        'select * from tally',
      )
      expect(rows.filter(({ in_order: inOrder }) => !inOrder)).toEqual([])
      return Object.fromEntries(rows.map(({ uid, total }) => [uid, total]))
    },
    letters: async () =>
      (await listDeadLetters(db)).map(({ key, type, newer, behind }) => ({ key, type, newer, behind })),
    alarmed: async () => (await countParked(db, clock.now())).deadLetters[TOPIC] ?? 0,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

test('an event of a type or version that is not known waits with its key, where it is for the service; others pass', async () => {
  await using credits = await start()
  const notForCredits = (of: EventDefinition) => ({ ...of, for: ['storage'] as ServiceName[] })
  await credits
    .old()
    .receive(
      event(Counted, 1, 'type'),
      event(Doubled, 2, 'type'),
      event(Counted, 3, 'type'),
      event(CountedAgain, 4, 'version'),
      event(notForCredits(Doubled), 5, 'passed'),
      event(notForCredits(CountedAgain), 6, 'passed'),
      event(notForCredits(Counted), 7, 'passed'),
      event(Counted, 8, 'passed'),
    )
  expect(await credits.totals()).toEqual({ type: 1, passed: 1 })
  expect(await credits.letters()).toEqual([
    { key: 'type', type: 'Doubled', newer: true, behind: 1 },
    { key: 'version', type: 'Counted', newer: true, behind: 0 },
  ])
  const { rows } = await credits.db.query('select position, taken from cursor')
  expect(rows).toEqual([{ position: 8, taken: 8 }])
})

test('the version that knows it handles what waited, in order, without a request, while the older one goes on', async () => {
  await using credits = await start()
  const old = credits.old()
  await old.receive(event(Doubled, 1), event(Counted, 2), event(CountedAgain, 3), event(Counted, 4, 'other'))
  await old.replay()
  expect(await credits.totals()).toEqual({ other: 1 })
  const next = credits.new()
  await Promise.all([old.replay(), next.replay()])
  await Promise.all([old.replay(), next.replay()])
  expect(await credits.totals()).toEqual({ u: 111, other: 1 })
  expect(await credits.letters()).toEqual([])
  await credits.new().receive(event(Counted, 5))
  expect(await credits.totals()).toEqual({ u: 112, other: 1 })
})

test('where the version that knows it ends in between, any other goes on with what waited behind it', async () => {
  await using credits = await start()
  const old = credits.old()
  await old.receive(event(Doubled, 1), event(Counted, 2))
  const away = async () => {
    throw new Unavailable('the store')
  }
  await credits.new([on(Counted, away), on(Doubled, add(100))]).replay()
  expect(await credits.totals()).toEqual({ u: 100 })
  await old.replay()
  expect(await credits.totals()).toEqual({ u: 101 })
})

test('what was emitted before a rollback waits for the next update, also when somebody requests its replay', async () => {
  await using credits = await start()
  await credits.new().receive(event(Doubled, 1))
  const back = credits.old()
  await back.receive(event(Counted, 2), event(CountedAgain, 3), event(Counted, 4))
  await requestReplayOfAll(credits.db, credits.clock.now())
  await back.replay()
  await back.replay()
  expect(await credits.totals()).toEqual({ u: 101 })
  expect(await credits.letters()).toEqual([{ key: 'u', type: 'Counted', newer: true, behind: 1 }])
  expect(await credits.alarmed()).toBe(0)
  await credits.new().replay()
  expect(await credits.totals()).toEqual({ u: 112 })
})

test('a dead letter whose version was rolled back waits for it when its replay is requested', async () => {
  await using credits = await start()
  const failing = async () => {
    throw new Error('a bug')
  }
  await credits.new([...OLD, on(Doubled, failing)]).receive(event(Doubled, 1), event(Counted, 2))
  await requestReplayOfAll(credits.db, credits.clock.now())
  await credits.old().replay()
  expect(await credits.letters()).toEqual([{ key: 'u', type: 'Doubled', newer: true, behind: 1 }])
  await credits.new().replay()
  expect(await credits.totals()).toEqual({ u: 101 })
})

test('one that fails in the version with its handler is a dead letter like others, replayed only on request', async () => {
  await using credits = await start()
  await credits.old().receive(event(Doubled, 1), event(Counted, 2))
  let tries = 0
  const failing = async () => {
    tries++
    throw new Error('a bug')
  }
  const next = credits.new([...OLD, on(Doubled, failing)])
  await next.replay()
  await next.replay()
  expect(tries).toBe(1)
  expect(await credits.letters()).toEqual([{ key: 'u', type: 'Doubled', newer: false, behind: 1 }])
  expect(await credits.alarmed()).toBe(2)
})

test('one that waits for an update raises no alarm for an hour', async () => {
  await using credits = await start()
  await credits.old().receive(event(Doubled, 1), event(Counted, 2), event(Counted, 3, 'other'))
  expect(await credits.alarmed()).toBe(0)
  credits.clock.pass(HOUR_MS + 60_000)
  expect(await credits.alarmed()).toBe(2)
  expect((await countParked(credits.db, credits.clock.now())).parkedKeys).toEqual({ [TOPIC]: 1 })
})

test('an event of 0.1.0, which does not say whom it is for, is for those who handled it then', async () => {
  await using credits = await start()
  const of010 = (type: string, position: number) => {
    const { for: _for, ...rest } = event({ ...Counted, type }, position, type)
    return rest
  }
  const SongRequested = { ...Counted, type: 'SongRequested' }
  const SongUpdated = { ...Counted, type: 'SongUpdated' }
  const next = credits.new([on(SongRequested, add(1)), on(SongUpdated, add(1))])
  await next.receive(of010('SongRequested', 1), of010('SongUpdated', 2))
  expect(await credits.totals()).toEqual({ SongRequested: 1 })
})
