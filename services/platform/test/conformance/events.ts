import { Type } from 'typebox'
import { expect, test, vi } from 'vitest'
import { defineEvent, type EventData, type EventEnvelope, UserRegistered } from '@prelude/contracts'
import { AppError } from '../../src/errors.ts'
import { type Running, runService } from '../../src/host/run-service.ts'
import { type PostgresDatabase, postgresDatabase } from '../../src/database/database.ts'
import type { EventBus } from '../../src/events/port.ts'
import { migrate, roleUrl } from '../../src/database/migrate.ts'
import { on, type Handler, type Service } from '../../src/host/service.ts'
import { messageOf, testLogger } from '../../src/testing/index.ts'

type OpenBus = () => Promise<{ bus: EventBus; adminUrl: string } & AsyncDisposable>

/** Two services on one server: `source` emits numbered events, `sink` adds them up. */

const Counted = defineEvent(
  'prelude.songs',
  'Counted',
  'A test event.',
  Type.Object({ uid: Type.String(), n: Type.Integer() }),
)
type Count = EventData<typeof Counted>
const PATIENCE = { timeout: 20_000, interval: 25 }
const PASSWORD = 'test-role-password'

const count: Handler<typeof Counted> = async (event, tx) => {
  await tx.query(
    `insert into tally (uid, total, last_seq) values ($1, $2, $3)
     on conflict (uid) do update set total = tally.total + $2, last_seq = $3, in_order = tally.in_order and tally.last_seq < $3`,
    [event.data.uid, event.data.n, event.seq],
  )
}

async function start(openBus: OpenBus, handle: Handler<typeof Counted>, passes?: (data: Count) => boolean) {
  const ports = await openBus()
  const logger = testLogger()
  await ports.bus.createTopics(['prelude.songs', 'prelude.gateway'])
  const migrations = new URL('../tally/', import.meta.url)
  const parts: { running: Running; db: PostgresDatabase }[] = []
  const run = async (schema: string, name: 'songs' | 'credits', reactions: Service['reactions']) => {
    await migrate(ports.adminUrl, { schema, migrations, withEvents: true }, PASSWORD, logger)
    const databaseUrl = roleUrl(ports.adminUrl, schema, PASSWORD)
    const db = postgresDatabase({ url: databaseUrl, schema, logger })
    const service: Service = { name, schema, migrations, reactions, routes: () => {} }
    const running = await runService({
      service,
      db,
      databaseUrl,
      bus: ports.bus,
      logger,
      internalSecret: 's',
    })
    parts.push({ running, db })
    return { db, running, databaseUrl, service }
  }
  const source = await run('source', 'songs', [])
  const sink = await run('sink', 'credits', [on(Counted, handle, passes)])
  const tally = async (uid: string) =>
    (
      await sink.db.query<{ total: number; inOrder: boolean }>(
        `select total, in_order as "inOrder" from tally where uid = $1`,
        [uid],
      )
    ).rows[0]
  return {
    ports,
    source,
    sink,
    tally,
    emit: (uid: string, n: number) => source.db.transaction(async (tx) => tx.emit(Counted, { uid, n })),
    [Symbol.asyncDispose]: async () => {
      for (const { running } of parts) await running.stop()
      await ports[Symbol.asyncDispose]()
    },
  }
}

/** What must hold of events from one service's transaction to another's, over any bus. */
export function eventsConformance(name: string, openBus: OpenBus): void {
  const startPair = (handle: Handler<typeof Counted> = count) => start(openBus, handle)

  test(`${name}: what six writers emit arrives once and in order per key, also beside an idle transaction`, async () => {
    await using pair = await startPair()
    const idle = await pair.source.db.pool.connect()
    await idle.query('begin')
    await idle.query(`insert into tally (uid) values ('idle')`)
    await Promise.all(
      Array.from({ length: 6 }, async (_, writer) => {
        for (let i = 0; i < 40; i++) await pair.emit(`u${(writer + i) % 4}`, 1)
      }),
    )
    for (const uid of ['u0', 'u1', 'u2', 'u3'])
      await vi.waitFor(
        async () => expect(await pair.tally(uid)).toEqual({ total: 60, inOrder: true }),
        PATIENCE,
      )
    await idle.query('rollback')
    idle.release()
  })

  test(`${name}: a transaction that fails emits nothing`, async () => {
    await using pair = await startPair()
    const failing = pair.source.db.transaction(async (tx) => {
      tx.emit(Counted, { uid: 'u', n: 100 })
      throw new AppError('song_not_found')
    })
    await expect(failing).rejects.toThrow('song_not_found')
    await pair.emit('u', 1)
    await vi.waitFor(async () => expect(await pair.tally('u')).toEqual({ total: 1, inOrder: true }), PATIENCE)
  })

  test(`${name}: an event delivered twice, or published again, has one effect`, async () => {
    await using pair = await startPair()
    await pair.emit('u', 5)
    await vi.waitFor(async () => expect((await pair.tally('u'))?.total).toBe(5), PATIENCE)
    const isMarked = 'select not exists (select from outbox_unsent) as marked'
    await vi.waitFor(
      async () => expect((await pair.source.db.query(isMarked)).rows).toEqual([{ marked: true }]),
      PATIENCE,
    )
    await pair.source.db.query('insert into outbox_unsent select id, key from outbox')
    await pair.emit('u', 1)
    await vi.waitFor(async () => expect((await pair.tally('u'))?.total).toBe(6), PATIENCE)
  })

  test(`${name}: a dependency that is down is waited for, and nothing overtakes`, async () => {
    let down = 3
    await using pair = await startPair(async (event, tx) => {
      if (down-- > 0) throw new AppError('unavailable')
      await count(event, tx)
    })
    await pair.emit('u', 1)
    await pair.emit('u', 2)
    await vi.waitFor(async () => expect(await pair.tally('u')).toEqual({ total: 3, inOrder: true }), PATIENCE)
  })

  test(`${name}: an event that cannot be handled parks its key, others flow, and a replay brings everything in order`, async () => {
    let poisoned = true
    await using pair = await startPair(async (event, tx) => {
      if (poisoned && event.data.n === 13) throw new TypeError('cannot read properties of undefined')
      await count(event, tx)
    })
    await pair.emit('u', 1)
    await pair.emit('u', 13)
    await pair.emit('u', 2)
    await pair.emit('other', 7)
    await vi.waitFor(async () => expect((await pair.tally('other'))?.total).toBe(7), PATIENCE)
    const letters = () =>
      pair.sink.db.query('select seq from dead_letter where resolved_at is null order by seq')
    await vi.waitFor(async () => expect((await letters()).rows).toEqual([{ seq: 2 }, { seq: 3 }]), PATIENCE)
    expect((await pair.tally('u'))?.total).toBe(1)
    poisoned = false
    await pair.sink.db.query('update dead_letter set replay_requested_at = now() where resolved_at is null')
    await vi.waitFor(
      async () => expect(await pair.tally('u')).toEqual({ total: 16, inOrder: true }),
      PATIENCE,
    )
    await pair.emit('u', 4)
    await vi.waitFor(
      async () => expect(await pair.tally('u')).toEqual({ total: 20, inOrder: true }),
      PATIENCE,
    )
  })

  test(`${name}: a poisoned event among many that arrive together parks its own key alone`, async () => {
    await using pair = await startPair(async (event, tx) => {
      if (event.data.n === 13) throw new TypeError('cannot read properties of undefined')
      await count(event, tx)
    })
    await pair.source.db.transaction(async (tx) => {
      for (let round = 0; round < 3; round++)
        for (let i = 0; i < 10; i++) tx.emit(Counted, { uid: `u${i}`, n: i === 4 && round === 1 ? 13 : 1 })
    })
    for (let i = 0; i < 10; i++)
      await vi.waitFor(
        async () => expect(await pair.tally(`u${i}`)).toEqual({ total: i === 4 ? 1 : 3, inOrder: true }),
        PATIENCE,
      )
    const letters = () => pair.sink.db.query('select key, seq from dead_letter order by seq')
    const parked = [
      { key: 'u4', seq: 2 },
      { key: 'u4', seq: 3 },
    ]
    await vi.waitFor(async () => expect((await letters()).rows).toEqual(parked), PATIENCE)
  })

  test(`${name}: what is no event at all is put aside with its raw text`, async () => {
    await using pair = await startPair()
    await pair.ports.bus.publish('prelude.songs', [{ key: 'u', value: '{"not": "an event"' }])
    const letters = () => pair.sink.db.query<{ value: string }>('select value from dead_letter')
    await vi.waitFor(
      async () => expect((await letters()).rows).toEqual([{ value: '{"not": "an event"' }]),
      PATIENCE,
    )
  })

  test(
    `${name}: a gap is waited for, then parked with the number of what is missing`,
    { timeout: 40_000 },
    async () => {
      await using pair = await startPair()
      const at = Date.now()
      const send = (seq: number) =>
        pair.ports.bus.publish('prelude.songs', [
          messageOf(Counted, { uid: 'u', n: seq }, { id: crypto.randomUUID(), seq, at }),
        ])
      await send(1)
      await send(3)
      const letters = () =>
        pair.sink.db.query<{ seq: number; error: string }>('select seq, error from dead_letter')
      await vi.waitFor(
        async () => {
          const { rows } = await letters()
          expect(rows).toEqual([{ seq: 3, error: 'Gap: an event before seq 3 is missing' }])
        },
        { ...PATIENCE, timeout: 30_000 },
      )
    },
  )

  test(`${name}: types that a service ignores raise its mark all the same`, async () => {
    await using pair = await startPair()
    await pair.source.db.transaction(async (tx) => tx.emit(Counted, { uid: 'u', n: 1 }))
    const foreign = { ...UserRegistered, topic: Counted.topic }
    await pair.source.db.transaction(async (tx) => tx.emit(foreign, { uid: 'u' }))
    await pair.source.db.transaction(async (tx) => tx.emit(Counted, { uid: 'u', n: 1 }))
    await vi.waitFor(async () => expect((await pair.tally('u'))?.total).toBe(2), PATIENCE)
    const { rows } = await pair.sink.db.query<Pick<EventEnvelope, 'seq'>>('select seq from inbox')
    expect(rows).toEqual([{ seq: 3 }])
  })

  test(`${name}: what a service passes raises its mark and is not handled, unless its version is unknown`, async () => {
    await using pair = await start(openBus, count, ({ n }) => n < 0)
    for (const n of [1, -1, 1]) await pair.emit('u', n)
    await vi.waitFor(async () => expect((await pair.tally('u'))?.total).toBe(2), PATIENCE)
    await pair.source.db.transaction(async (tx) => tx.emit({ ...Counted, version: 2 }, { uid: 'u', n: -1 }))
    await vi.waitFor(async () => {
      const { rows } = await pair.sink.db.query<Pick<EventEnvelope, 'seq'>>('select seq from dead_letter')
      expect(rows).toEqual([{ seq: 4 }])
    }, PATIENCE)
    expect((await pair.tally('u'))?.total).toBe(2)
  })

  test(`${name}: an event too large for the bus blocks its key and nobody else`, async () => {
    await using pair = await startPair()
    const Large = { ...Counted, data: Type.Object({ uid: Type.String(), text: Type.String() }) }
    await pair.source.db.transaction(async (tx) =>
      tx.emit(Large, { uid: 'large', text: 'x'.repeat(1_100_000) }),
    )
    await pair.emit('u', 3)
    await vi.waitFor(async () => expect((await pair.tally('u'))?.total).toBe(3), PATIENCE)
    const { rows } = await pair.source.db.query('select key from outbox_blocked')
    expect(rows).toEqual([{ key: 'large' }])
  })

  test(`${name}: a handler that waits for a dependency is seen to try`, async () => {
    let tries = 0
    await using pair = await startPair(async () => {
      tries++
      throw new AppError('unavailable')
    })
    const triedAt = async (): Promise<number> => {
      const metrics = await (await fetch(`${pair.sink.running.address}/metrics`)).text()
      return Number(/^prelude_consumer_last_attempt_timestamp_seconds.* (.*)$/m.exec(metrics)?.[1])
    }
    await pair.emit('u', 1)
    await vi.waitFor(() => expect(tries).toBeGreaterThan(1), PATIENCE)
    const first = await triedAt()
    await vi.waitFor(async () => expect(await triedAt()).toBeGreaterThan(first), PATIENCE)
  })

  test(`${name}: health says ready, and metrics name the outbox and the lag`, async () => {
    await using pair = await startPair()
    const get = (path: string) => fetch(pair.sink.running.address + path)
    expect((await get('/healthz')).status).toBe(200)
    expect(await (await get('/readyz')).json()).toEqual({ parts: { database: 'ok', bus: 'ok' } })
    const metrics = await (await get('/metrics')).text()
    for (const name of ['prelude_outbox_depth', 'prelude_consumer_lag', 'prelude_dead_letters'])
      expect(metrics).toContain(name)
    expect((await get('/songs')).status).toBe(404)
  })
}
