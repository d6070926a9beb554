import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { AppError } from '../../src/errors.ts'
import { type Handler, on, schemaOf, serviceDatabase, type Subscriber } from '../../src/events/index.ts'
import { identitiesFrom } from '../../src/identity.ts'
import { type Running, runService } from '../../src/host/run-service.ts'
import type { Service } from '../../src/host/service.ts'
import { eventually } from '../support/eventually.ts'
import { testLogger } from '../support/index.ts'
import { type BusUnderTest, Counted, openSource, PASSWORD, type Source } from './source.ts'
import { migrate, roleUrl } from '../../migrate/index.ts'

/** `songs` emits numbered events, `credits` adds them up. */

const count: Handler<typeof Counted> = async (event, tx) => {
  await tx.query(
    `insert into tally (uid, total, last_position) values ($1, $2, $3)
     on conflict (uid) do update set total = tally.total + $2, last_position = $3,
       in_order = tally.in_order and tally.last_position < $3`,
    [event.data.uid, event.data.n, event.position],
  )
}

async function startSink(
  { adminUrl, bus }: Source,
  subscribers: readonly Subscriber[],
  limits: { statementTimeoutMs?: number } = {},
) {
  const logger = testLogger()
  const schema = { name: 'credits', migrations: TALLY } as const
  await migrate(adminUrl, schemaOf(schema), PASSWORD, logger)
  const databaseUrl = roleUrl(adminUrl, 'credits', PASSWORD)
  const start = async (): Promise<Running> => {
    const db = serviceDatabase({
      url: databaseUrl,
      service: 'credits',
      clock: systemClock,
      logger,
      ...limits,
    })
    const service: Service = { ...schema, subscribers, routes: () => {} }
    return runService({
      service,
      db,
      databaseUrl,
      bus,
      clock: systemClock,
      logger,
      identity: identitiesFrom('s')('credits'),
    })
  }
  const db = serviceDatabase({
    url: databaseUrl,
    service: 'credits',
    clock: systemClock,
    logger,
    poolSize: 2,
  })
  return { db, start, running: await start() }
}

export async function startPair(
  openBus: () => Promise<BusUnderTest>,
  handle: Handler<typeof Counted> = count,
  limits: { statementTimeoutMs?: number } = {},
) {
  const source = await openSource(openBus)
  const sink = await startSink(source, [on(Counted, handle)], limits)
  let stopping: Promise<void> | undefined
  const stopSink = (): Promise<void> => (stopping ??= sink.running.stop())
  return {
    source,
    sink,
    tally: async (uid: string) =>
      (
        await sink.db.query<{ total: number; inOrder: boolean }>(
          `select total, in_order as "inOrder" from tally where uid = $1`,
          [uid],
        )
      ).rows[0],
    emit: source.emit,
    stopSink,
    [Symbol.asyncDispose]: async () => {
      await stopSink()
      await sink.db.close()
      await source[Symbol.asyncDispose]()
    },
  }
}

const TALLY = new URL('../tally/', import.meta.url)

/** The sink of a next version, which brings one more migration. */
async function nextVersion({ adminUrl, bus }: Source) {
  const logger = testLogger()
  const folder = await mkdtemp(join(tmpdir(), 'prelude-next-'))
  await cp(fileURLToPath(TALLY), folder, { recursive: true })
  await writeFile(join(folder, '0002-next.sql'), 'alter table tally add column seen_by_next boolean;')
  const schema = { name: 'credits', migrations: pathToFileURL(`${folder}/`) } as const
  const databaseUrl = roleUrl(adminUrl, 'credits', PASSWORD)
  const handle: Handler<typeof Counted> = async (event, tx) => {
    await count(event, tx)
    await tx.query('update tally set seen_by_next = true where uid = $1', [event.data.uid])
  }
  const db = serviceDatabase({ url: databaseUrl, service: 'credits', clock: systemClock, logger })
  const service: Service = { ...schema, subscribers: [on(Counted, handle)], routes: () => {} }
  const running = await runService({
    service,
    db,
    databaseUrl,
    bus,
    clock: systemClock,
    logger,
    identity: identitiesFrom('s')('credits'),
  })
  return {
    isReady: async () => (await fetch(`${running.address}/readyz`)).status === 200,
    migrate: () => migrate(adminUrl, schemaOf(schema), PASSWORD, logger),
    [Symbol.asyncDispose]: async () => {
      await running.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** What must hold of events from one service's transaction to another's, over any bus. */
export function eventsConformance(name: string, openBus: () => Promise<BusUnderTest>): void {
  const start = (handle?: Handler<typeof Counted>, limits = {}) => startPair(openBus, handle, limits)

  test(`${name}: events of six writers arrive once and in order per key, also beside an idle transaction`, async () => {
    await using pair = await start()
    const idle = await pair.source.db.pool.connect()
    await idle.query('begin')
    await idle.query('select pg_current_xact_id()')
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let i = 0; i < 40; i++) await pair.emit(`u${(writer + i) % 4}`, 1)
      }),
    )
    for (const uid of ['u0', 'u1', 'u2', 'u3'])
      await eventually(async () => expect(await pair.tally(uid)).toEqual({ total: 60, inOrder: true }))
    await idle.query('rollback')
    idle.release()
  })

  test(`${name}: a transaction that fails emits nothing`, async () => {
    await using pair = await start()
    const failing = pair.source.db.transaction(async (tx) => {
      tx.emit(Counted, { uid: 'u', n: 100 })
      throw new AppError('song_not_found')
    })
    await expect(failing).rejects.toThrow('song_not_found')
    await pair.emit('u', 1)
    await eventually(async () => expect(await pair.tally('u')).toEqual({ total: 1, inOrder: true }))
  })

  test(`${name}: events that are forwarded again, or handled by two instances at once, have one effect`, async () => {
    await using pair = await start()
    const second = await pair.sink.start()
    for (let n = 0; n < 30; n++) await pair.emit('u', 1)
    await eventually(async () => expect((await pair.tally('u'))?.total).toBe(30))
    await pair.source.db.query(`update cursor set position = 0, taken = 0 where topic = 'prelude.songs'`)
    await pair.emit('u', 5)
    await eventually(async () => expect((await pair.tally('u'))?.total).toBe(35))
    await pair.emit('u', 1)
    await eventually(async () => expect(await pair.tally('u')).toEqual({ total: 36, inOrder: true }))
    await second.stop()
  })

  test(`${name}: a dependency that is down is waited for, and nothing overtakes`, async () => {
    let down = 3
    await using pair = await start(async (event, tx) => {
      if (down-- > 0) throw new AppError('unavailable')
      await count(event, tx)
    })
    await pair.emit('u', 1)
    await pair.emit('u', 2)
    await eventually(async () => expect(await pair.tally('u')).toEqual({ total: 3, inOrder: true }))
  })

  test(`${name}: a service whose migration is missing is not ready, and its events wait for it`, async () => {
    await using pair = await start()
    await pair.stopSink() // the version before
    await using next = await nextVersion(pair.source)
    await pair.emit('u', 1)
    expect(await next.isReady()).toBe(false)
    expect(await pair.tally('u')).toBeUndefined()
    await next.migrate()
    await eventually(async () => expect((await pair.tally('u'))?.total).toBe(1))
    expect(await next.isReady()).toBe(true)
    const { rows } = await pair.sink.db.query('select from dead_letter')
    expect(rows).toEqual([])
  })

  test(`${name}: an event that cannot be handled parks its key, others flow, and a replay brings everything in order`, async () => {
    let poisoned = true
    await using pair = await start(async (event, tx) => {
      if (poisoned && event.data.n === 13) throw new TypeError('cannot read properties of undefined')
      await count(event, tx)
    })
    await pair.emit('u', 1)
    await pair.emit('u', 13)
    await pair.emit('u', 2)
    await pair.emit('other', 7)
    await eventually(async () => expect((await pair.tally('other'))?.total).toBe(7))
    const letters = () =>
      pair.sink.db.query('select key, position from dead_letter where resolved_at is null order by id')
    await eventually(async () => expect((await letters()).rows).toHaveLength(2))
    expect((await pair.tally('u'))?.total).toBe(1)
    poisoned = false
    await pair.sink.db.query('update dead_letter set replay_requested_at = now() where resolved_at is null')
    await eventually(async () => expect(await pair.tally('u')).toEqual({ total: 16, inOrder: true }))
    await pair.emit('u', 4)
    await eventually(async () => expect(await pair.tally('u')).toEqual({ total: 20, inOrder: true }))
  })

  test(`${name}: a poisoned event among many that arrive together parks its own key alone`, async () => {
    await using pair = await start(async (event, tx) => {
      if (event.data.n === 13) throw new TypeError('cannot read properties of undefined')
      await count(event, tx)
    })
    await pair.source.db.transaction(async (tx) => {
      for (let round = 0; round < 3; round++)
        for (let i = 0; i < 10; i++) tx.emit(Counted, { uid: `u${i}`, n: i === 4 && round === 1 ? 13 : 1 })
    })
    for (let i = 0; i < 10; i++)
      await eventually(async () =>
        expect(await pair.tally(`u${i}`)).toEqual({ total: i === 4 ? 1 : 3, inOrder: true }),
      )
    const letters = () => pair.sink.db.query('select key from dead_letter order by id')
    const parked = [{ key: 'u4' }, { key: 'u4' }]
    await eventually(async () => expect((await letters()).rows).toEqual(parked))
  })

  test(`${name}: a statement that takes too long is tried alone with a longer limit; other keys flow`, async () => {
    let slow = 0
    await using pair = await start(
      async (event, tx) => {
        if (event.data.n === 13) {
          slow++
          await tx.query('select pg_sleep(0.6)')
        }
        await count(event, tx)
      },
      { statementTimeoutMs: 400 },
    )
    await pair.emit('u', 13)
    await pair.emit('other', 7)
    await eventually(async () => expect((await pair.tally('other'))?.total).toBe(7))
    await eventually(async () => expect(await pair.tally('u')).toEqual({ total: 13, inOrder: true }))
    expect(slow).toBeGreaterThan(3) // three times alone, perhaps in a batch before, and at last with the longer limit
  })

  test(`${name}: the cursor also moves past events that are for other services`, async () => {
    await using pair = await start()
    await pair.source.db.transaction(async (tx) => {
      for (let n = 0; n < 5; n++) tx.emit({ ...Counted, type: 'Ignored', for: ['storage'] }, { uid: 'u', n })
    })
    await eventually(async () => {
      const { rows } = await pair.sink.db.query('select sum(taken) as taken from cursor')
      expect(rows).toEqual([{ taken: 5 }])
    })
    await pair.emit('u', 1)
    await eventually(async () => expect((await pair.tally('u'))?.total).toBe(1))
  })

  test(`${name}: an event of a version that is not known waits, and parks its key`, async () => {
    await using pair = await start()
    await pair.source.db.transaction(async (tx) => tx.emit({ ...Counted, version: 2 }, { uid: 'u', n: 1 }))
    await pair.emit('u', 5)
    await eventually(async () => {
      const { rows } = await pair.sink.db.query('select type, unknown_version from dead_letter order by id')
      expect(rows).toEqual([2, null].map((version) => ({ type: 'Counted', unknown_version: version })))
    })
    expect(await pair.tally('u')).toBeUndefined()
  })

  test(`${name}: a subscription begins with the first event that names its service, also on a topic that is new to it`, async () => {
    await using source = await openSource(openBus)
    const Unnamed = { ...Counted, for: ['storage'] as const }
    const emit = (event: typeof Counted, n: number) =>
      source.db.transaction(async (tx) => tx.emit(event, { uid: 'u', n }))
    await emit(Unnamed, 1)
    await emit(Unnamed, 2)
    await emit(Counted, 30) // by the version whose services have the handler, while this one is not updated yet
    await emit(Unnamed, 4)
    const sink = await startSink(source, [on(Counted, count)])
    await source.emit('u', 500)
    await eventually(async () => {
      const { rows } = await sink.db.query('select total, in_order from tally')
      expect(rows).toEqual([{ total: 530, in_order: true }])
    })
    await sink.running.stop()
    await sink.db.close()
  })

  test(`${name}: an event that is too large is refused when it is emitted, and so is another service's`, async () => {
    await using pair = await start()
    const Large = { ...Counted, data: Type.Object({ uid: Type.String(), text: Type.String() }) }
    const large = pair.source.db.transaction(async (tx) => {
      tx.emit(Counted, { uid: 'large', n: 1 })
      tx.emit(Large, { uid: 'large', text: 'x'.repeat(66_000) })
    })
    await expect(large).rejects.toThrow('more than 65536 bytes')
    const foreign = pair.source.db.transaction(async (tx) =>
      tx.emit({ ...Counted, topic: 'prelude.payments' }, { uid: 'u', n: 1 }),
    )
    await expect(foreign).rejects.toThrow('is an event of prelude.payments')
    await pair.emit('u', 3)
    await eventually(async () => expect((await pair.tally('u'))?.total).toBe(3))
    expect(await pair.tally('large')).toBeUndefined()
  })

  test(`${name}: the tries of a handler that waits for a dependency are visible`, async () => {
    let tries = 0
    await using pair = await start(async () => {
      tries++
      throw new AppError('unavailable')
    })
    const triedAt = async (): Promise<number> => {
      const metrics = await (await fetch(`${pair.sink.running.address}/metrics`)).text()
      return Number(/^prelude_consumer_last_attempt_timestamp_seconds.* (.*)$/m.exec(metrics)?.[1])
    }
    await pair.emit('u', 1)
    await eventually(() => expect(tries).toBeGreaterThan(1))
    const first = await triedAt()
    await eventually(async () => expect(await triedAt()).toBeGreaterThan(first))
  })

  test(`${name}: health says ready, and metrics name dead letters and the lag`, async () => {
    await using pair = await start()
    const get = (path: string) => fetch(pair.sink.running.address + path)
    expect((await get('/healthz')).status).toBe(200)
    expect(await (await get('/readyz')).json()).toEqual({
      parts: { database: 'ok', schema: 'ok', clock: 'ok', bus: 'ok' },
    })
    const metrics = await (await get('/metrics')).text()
    for (const name of ['prelude_parked_keys', 'prelude_consumer_lag', 'prelude_dead_letters'])
      expect(metrics).toContain(name)
    expect((await get('/songs')).status).toBe(404)
  })
}
