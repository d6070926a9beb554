import fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { connectionOptions } from '../src/database/connection.ts'
import { systemClock } from '../src/clock.ts'
import type { Appended } from '../src/database/database.ts'
import type { Query } from '../src/database/port.ts'
import { eventSchemaOf, serviceDatabase } from '../src/events/index.ts'
import { logReader, LogTruncated, stepOf } from '../src/events/log-reader.ts'
import { eventually } from './support/eventually.ts'
import { testDatabase, testLogger } from './support/index.ts'
import { Counted } from './conformance/counted.ts'
import { migrate } from '../migrate/index.ts'

type Log = Awaited<ReturnType<typeof log>>

async function log() {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  await migrate(adminUrl, eventSchemaOf('songs'), 'test-role-password', testLogger())
  const options = { service: 'songs', clock: systemClock, logger: testLogger(), poolSize: 4 } as const
  const db = serviceDatabase({ url: adminUrl, ...options })
  const connections: pg.Client[] = []
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(connectionOptions(adminUrl, 'songs'))
    await client.connect()
    connections.push(client)
    return client
  }
  let reads = 0
  let afterRead = async (_reads: number): Promise<void> => {}
  const counting: Query = {
    query: async <R>(sql: string, params?: readonly unknown[]) => {
      const result = await db.query<R>(sql, params)
      reads += 1
      await afterRead(reads)
      return result
    },
  }
  const reader = logReader(counting, 'prelude.songs')
  const after = async (position: number): Promise<readonly number[]> => {
    reader.markStale()
    return (await reader.after(position)).map((event) => event.position)
  }
  return {
    db,
    reader,
    connect,
    /** Statements of the reader. */
    reads: () => reads,
    /** Called between two statements of the reader, with how many it has sent. */
    onRead: (listener: (reads: number) => Promise<void>): void => {
      afterRead = listener
    },
    /** Reads the log again: the positions after `position`, once none before them is missing. */
    after,
    /** The same, where a position is missing: asserts that none is delivered by a reader that goes on reading. */
    held: async (position: number): Promise<{ delivered: Promise<readonly number[]> }> => {
      let isDelivered = false
      const delivered = after(position).finally(() => (isDelivered = true))
      const last = reads + 10
      await eventually(() => expect(isDelivered || reads > last).toBe(true))
      expect(isDelivered).toBe(false)
      return { delivered }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(connections.map((client) => client.end()))
      await db.close()
      await drop()
    },
  }
}

const event = (type = 'T') => ({
  id: randomUUID(),
  key: 'k',
  type,
  version: 1,
  at: 1,
  correlationId: 'c',
  data: {},
})

const append = (
  client: { query(sql: string, params: unknown[]): Promise<unknown> },
  events: readonly unknown[] = [event()],
) => client.query('select append_events($1)', [JSON.stringify(events)])

test('a lower position that commits later is waited for, also when its transaction began later', async () => {
  await using songs = await log()
  const [first, second] = [await songs.connect(), await songs.connect()]
  await first.query('begin')
  await first.query('select pg_current_xact_id()') // the lower id
  await second.query('begin')
  await append(second) // draws 1
  await append(first) // draws 2
  await first.query('commit')
  const { delivered } = await songs.held(0)
  await second.query('commit')
  expect(await delivered).toEqual([1, 2])
})

test('events that are appended together have their positions in the order in which they were emitted', async () => {
  await using songs = await log()
  await append(songs.db, ['A', 'B', 'C'].map(event))
  songs.reader.markStale()
  expect((await songs.reader.after(0)).map(({ type }) => type)).toEqual(['A', 'B', 'C'])
})

test('a position that was rolled back is skipped as soon as no transaction that could have drawn it is open', async () => {
  await using songs = await log()
  const client = await songs.connect()
  await client.query('begin')
  await append(client)
  await client.query('rollback')
  await append(client)
  expect(await songs.after(0)).toEqual([2])
})

test('consumers that ask while the log is being read wait for that reading', async () => {
  await using songs = await log()
  expect(await songs.after(0)).toEqual([])
  await append(await songs.connect())
  songs.reader.markStale()
  const both = await Promise.all([songs.reader.after(0), songs.reader.after(0)])
  expect(both.map((events) => events.map(({ position }) => position))).toEqual([[1], [1]])
})

test('one call of markStale is enough to read to the end of the log, also across more missing positions than are read at once', async () => {
  await using songs = await log()
  const client = await songs.connect()
  await append(client)
  await client.query('begin')
  for (let count = 0; count < 300; count += 1) await append(client)
  await client.query('rollback')
  await append(client)
  songs.reader.markStale()
  const positions: number[] = []
  while (positions.length < 2) {
    const events = await songs.reader.after(positions.at(-1) ?? 0)
    if (events.length === 0) break
    positions.push(...events.map(({ position }) => position))
  }
  expect(positions).toEqual([1, 302])
})

/** Whichever two statements a commit comes between: what is visible and which transactions are open is one snapshot. */
test.each([1, 249, 250, 251, 600])(
  'no event is passed over when %i positions in a row become visible between two statements of the reader',
  async (width) => {
    for (let commitAfter = 1; commitAfter <= 6; commitAfter++) {
      await using songs = await log()
      const [wide, single] = [await songs.connect(), await songs.connect()]
      await append(single)
      expect(await songs.after(0)).toEqual([1])
      await wide.query('begin')
      await append(
        wide,
        Array.from({ length: width }, () => event()),
      )
      await append(single)
      let reads = 0
      songs.onRead(async () => {
        if (++reads === commitAfter) await wide.query('commit')
      })
      const last = width + 2
      const delivered: number[] = [1]
      while (delivered.at(-1) !== last) delivered.push(...(await songs.after(delivered.at(-1) ?? 0)))
      expect({ commitAfter, delivered: delivered.length }).toEqual({ commitAfter, delivered: last })
    }
  },
)

test('a transaction has its id before it draws a position, so that a reader sees that it is open', async () => {
  await using songs = await log()
  // between the drawn position and the row, when the row itself would give the transaction an id
  await songs.db.query(`create function hang() returns trigger language plpgsql as
    $$ begin if new.type = 'Slow' then perform pg_advisory_xact_lock(1); end if; return new; end $$`)
  await songs.db.query('create trigger hang before insert on event for each row execute function hang()')
  const [slow, fast] = [await songs.connect(), await songs.connect()]
  const holder = await songs.connect()
  await holder.query('select pg_advisory_lock(1)')
  await append(fast) // the first number of 32 is logged, which would give the transaction an id too
  const appending = append(slow, [event('Slow')])
  await eventually(async () => {
    const { rows } = await songs.db.query('select last_value as last from event_position_seq')
    expect(rows).toEqual([{ last: 2 }])
  })
  await append(fast)
  const { delivered } = await songs.held(1)
  await holder.query('select pg_advisory_unlock(1)')
  await appending
  expect(await delivered).toEqual([2, 3])
})

test('readers that are behind read from the table, each from its own position', async () => {
  await using songs = await log()
  const client = await songs.connect()
  for (let n = 0; n < 10; n++) await append(client)
  expect(await songs.after(7)).toEqual([8, 9, 10])
  expect(await songs.after(2)).toEqual([3, 4, 5, 6, 7, 8, 9, 10])
  expect(await songs.after(10)).toEqual([])
})

test('rows are final up to the first missing position that may still appear', () => {
  const step = (from: number, hole: [position: number, xid: number] | null, ...positions: number[]) => {
    const rows = positions.map((position) => ({ position, oldestXid: 100, lastPosition: 9 }))
    const given = hole ? { position: hole[0], xid: hole[1] } : undefined
    const { final, seen, next } = stepOf(from, given, rows)
    return [final.map(({ position }) => position), seen, next]
  }
  expect(step(2, null)).toEqual([[], 2, 'rest'])
  expect(step(2, null, 3, 4, 5)).toEqual([[3, 4, 5], 5, 'read'])
  expect(step(7, null, 8, 9)).toEqual([[8, 9], 9, 'rest'])
  expect(step(2, null, 3, 4, 6, 7, 9)).toEqual([[3, 4], 9, 'hole'])
  expect(step(2, null, 4)).toEqual([[], 4, 'hole'])
  // every transaction below 100 has ended: a gap that was noted with a higher id is not final yet
  expect(step(4, [9, 101], 6, 7, 9)).toEqual([[], 9, 'wait'])
  expect(step(4, [9, 100], 6, 7, 9)).toEqual([[6, 7, 9], 9, 'rest'])
  expect(step(4, [6, 100], 6, 7, 9)).toEqual([[6, 7], 9, 'hole'])
  expect(step(4, [6, 101], 5, 6, 9)).toEqual([[5, 6], 9, 'hole'])
})

test.each([0, 2, 3, 4])(
  'a log that lost its last three events and got %i others is noticed at the next read',
  async (others) => {
    await using songs = await log()
    await append(
      songs.db,
      Array.from({ length: 5 }, () => event()),
    )
    expect(await songs.after(0)).toEqual([1, 2, 3, 4, 5])
    await songs.db.query('delete from event where position > 2')
    await songs.db.query(`select setval('event_position_seq', 2)`)
    if (others > 0)
      await append(
        songs.db,
        Array.from({ length: others }, () => event()),
      )
    await expect(songs.after(5)).rejects.toThrow(LogTruncated)
    songs.reader.invalidate()
    await expect(songs.reader.after(2)).rejects.toThrow(LogTruncated)
  },
)

test('a log whose oldest events are removed, up to the one that was read last, has lost nothing', async () => {
  await using songs = await log()
  await append(songs.db, [event(), event()])
  expect(await songs.after(0)).toEqual([1, 2])
  await songs.db.query('delete from event where position <= 2')
  expect(await songs.after(2)).toEqual([])
  await append(songs.db, [event()])
  expect(await songs.after(2)).toEqual([3])
})

test('a log whose positions were set forward is read on', async () => {
  await using songs = await log()
  await append(songs.db)
  expect(await songs.after(0)).toEqual([1])
  await songs.db.query(`select setval('event_position_seq', 1000000000)`)
  await append(songs.db)
  expect(await songs.after(1)).toEqual([1_000_000_001])
})

test('a missing position that a consumer passes while its transactions are looked for holds up no later one', async () => {
  await using songs = await log()
  const open = await songs.connect()
  await append(songs.db)
  expect(await songs.after(0)).toEqual([1])
  await open.query('begin')
  await append(open) // draws 2
  await append(songs.db)
  let reads = 0
  songs.onRead(async () => {
    if (++reads !== 2) return
    await open.query('commit')
    void songs.reader.after(3) // another process has handled both
  })
  expect(await songs.after(1)).toEqual([2, 3])
  await open.query('begin')
  await append(open)
  await open.query('rollback')
  await append(songs.db)
  expect(await songs.after(3)).toEqual([5])
})

/** Commits on call what a transaction has appended, and hands it to the reader. */
async function appending(
  songs: Log,
  events: readonly ReturnType<typeof event>[] = [event()],
): Promise<{ commit(): Promise<void>; announce(): void }> {
  const client = await songs.connect()
  await client.query('begin')
  const sql = 'select * from append_and_locate($1)'
  const { rows } = await client.query<Omit<Appended, 'events'>>(sql, [JSON.stringify(events)])
  const emitted = events.map((one) => ({ ...one, json: JSON.stringify(one) }))
  return {
    commit: async () => void (await client.query('commit')),
    announce: () => songs.reader.append({ ...rows[0]!, events: emitted }),
  }
}

/** All positions that the reader delivers after this one. */
async function positionsAfter(songs: Log, position: number): Promise<number[]> {
  const some = (await songs.reader.after(position)).map((one) => one.position)
  const last = some.at(-1)
  return last === undefined ? some : [...some, ...(await positionsAfter(songs, last))]
}

test('events that this process has committed are delivered without a read, exactly as the table has them', async () => {
  await using songs = await log()
  songs.db.onEmit(songs.reader.append)
  await songs.db.transaction(async (tx) => tx.emit(Counted, { uid: 'u', n: 0 }))
  let [head] = await positionsAfter(songs, 0)
  const reads = songs.reads()
  // a text with NUL or half of a surrogate pair is refused by jsonb, so that its transaction fails
  const text = fc.string({ unit: 'grapheme' }).map((some) => some.replaceAll('\0', ''))
  const value = fc.jsonValue({ noUnicodeString: false, maxDepth: 3 }).filter((some) => isStorable(some))
  const data = fc.record({ uid: text, n: fc.oneof(value, fc.double(), fc.constant(undefined)) })
  await fc.assert(
    fc.asyncProperty(fc.array(data, { minLength: 1, maxLength: 5 }), async (all) => {
      await songs.db.transaction(async (tx) => {
        for (const one of all) tx.emit(Counted, one as { uid: string; n: number })
      })
      const events = await songs.reader.after(head ?? 0)
      expect(events).toHaveLength(all.length)
      expect(songs.reads()).toBe(reads)
      expect(events).toStrictEqual(await logReader(songs.db, 'prelude.songs').after(head ?? 0))
      head = events.at(-1)?.position
    }),
    { numRuns: 50, seed: inject('seed') },
  )
})

const isStorable = (value: unknown): boolean => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value))

test('of a transaction of any size each event is delivered once, in order', async () => {
  await using songs = await log()
  songs.db.onEmit(songs.reader.append)
  await append(songs.db)
  expect(await songs.after(0)).toEqual([1])
  await songs.db.transaction(async (tx) => {
    for (let n = 0; n < 2_500; n++) tx.emit(Counted, { uid: 'u', n })
  })
  expect(await positionsAfter(songs, 0)).toEqual(Array.from({ length: 2_501 }, (_, index) => index + 1))
})

test('two transactions that are announced in the other order are delivered in the order of positions', async () => {
  await using songs = await log()
  await append(songs.db)
  expect(await songs.after(0)).toEqual([1])
  const first = await appending(songs)
  const second = await appending(songs)
  await second.commit()
  second.announce()
  await first.commit()
  first.announce()
  expect(await positionsAfter(songs, 1)).toEqual([2, 3])
})

test('events are not delivered before lower positions of another transaction, committed or open', async () => {
  await using songs = await log()
  await append(songs.db)
  expect(await songs.after(0)).toEqual([1])
  await append(songs.db) // by another process
  const behind = await appending(songs)
  await behind.commit()
  behind.announce()
  expect(await positionsAfter(songs, 1)).toEqual([2, 3])
  const open = await appending(songs)
  const next = await appending(songs)
  await next.commit()
  next.announce()
  const { delivered } = await songs.held(3)
  await open.commit()
  expect(await delivered).toEqual([4, 5])
})

test('events whose positions do not follow one another are read from the table', async () => {
  await using songs = await log()
  await songs.db.query(`create function skip() returns trigger language plpgsql as
    $$ begin perform nextval('event_position_seq'); return new; end $$`)
  await songs.db.query(
    `create trigger skip before insert on event for each row when (new.type = 'Skip') execute function skip()`,
  )
  await append(songs.db)
  expect(await songs.after(0)).toEqual([1])
  const own = await appending(songs, ['A', 'Skip', 'B'].map(event))
  await own.commit()
  own.announce()
  expect(await positionsAfter(songs, 1)).toEqual([2, 3, 5])
})

/** Whichever two statements of the reader they are handed over between, with a hole that it has noted and one that it has not. */
test.each([2, 3, 4, 5, 6, 7, 8])(
  'events that are handed over while the log is read, after %i statements, are delivered once and in order',
  async (announceAfter) => {
    await using songs = await log()
    await append(songs.db)
    expect(await songs.after(0)).toEqual([1])
    const rollBack = () => songs.db.query(`select nextval('event_position_seq')`)
    await rollBack() // draws 2
    await append(songs.db)
    let own: Awaited<ReturnType<typeof appending>> | undefined
    let reads = 0
    songs.onRead(async () => {
      reads += 1
      if (reads === 2) {
        own = await appending(songs) // draws 4
        await rollBack()
        await append(songs.db) // draws 6
      }
      if (reads !== announceAfter) return
      await own?.commit()
      own?.announce()
    })
    songs.reader.markStale()
    expect(await positionsAfter(songs, 1)).toEqual([3, 4, 6])
  },
)

test('a log that lost its last events is noticed though the next position follows theirs', async () => {
  await using songs = await log()
  await append(songs.db, [event(), event(), event()])
  expect(await songs.after(0)).toEqual([1, 2, 3])
  await songs.db.query('delete from event where position > 1') // the sequence of a replica may be ahead of its rows
  const own = await appending(songs)
  await own.commit()
  own.announce()
  await expect(songs.reader.after(3)).rejects.toThrow(LogTruncated)
})

test('after an error nothing is delivered from memory that was handed over and is lost', async () => {
  await using songs = await log()
  await append(songs.db)
  expect(await songs.after(0)).toEqual([1])
  const own = await appending(songs)
  await own.commit()
  own.announce()
  await songs.db.query('delete from event where position > 1')
  songs.reader.invalidate()
  await expect(songs.reader.after(1)).rejects.toThrow(LogTruncated)
})
