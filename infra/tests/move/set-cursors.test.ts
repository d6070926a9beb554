import { testDatabase, testLogger } from '@prelude/platform/testing'
import { PARTITIONS, partitionOf } from '@prelude/platform'
import pg from 'pg'
import { expect, test } from 'vitest'
import { checkInvariants } from '../../invariants/check.ts'
import { SERVICE_SCHEMAS } from '../../prepare/schemas.ts'
import { fitToRecovered } from '../../move/move.ts'
import { setCursors } from '../../move/set-cursors.ts'
import { migrate } from '@prelude/platform/migrate'

const PEOPLE = ['ada', 'ben', 'eve', 'joe']

/** 20 events of four people in the log of songs, one after the other. */
async function database() {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  for (const spec of SERVICE_SCHEMAS) await migrate(adminUrl, spec, 'test-role-password', testLogger())
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  await client.query(
    `insert into songs.event (id, key, type, version, "for", at, correlation_id, data)
     select gen_random_uuid(), ($1::text[])[1 + n % 4], 'SongUpdated', 1, '{credits}', 0, 'c', '{}' from generate_series(0, 19) n`,
    [PEOPLE],
  )
  const breaches = async (): Promise<string[]> =>
    (await checkInvariants(adminUrl, Date.now())).filter((one) => one.breaches > 0).map(({ name }) => name)
  const cursor = async (schema: string) => {
    const sql = `select partition, partitions, position::int, taken::int from ${schema}.cursor
      where topic = 'prelude.songs' order by partition`
    return (await client.query(sql)).rows
  }
  return {
    adminUrl,
    client,
    cursor,
    breaches,
    [Symbol.asyncDispose]: async () => {
      await client.end()
      await drop()
    },
  }
}

test('from the log to a broker: each partition goes on where the log was read to, the forwarder before what the slowest has not handled', async () => {
  await using db = await database()
  const place = (schema: string, position: number) =>
    db.client.query(
      `insert into ${schema}.cursor (topic, partition, partitions, position, taken) values ('prelude.songs', 0, 1, $1, $1)`,
      [position],
    )
  await place('credits', 20)
  await place('storage', 12)
  await place('notifier', 20)
  expect(await setCursors(db.client, 'broker')).toBe(8)
  expect(await db.cursor('storage')).toEqual(
    Array.from({ length: PARTITIONS }, (_, partition) => ({
      partition,
      partitions: PARTITIONS,
      position: 12,
      taken: partition === 0 ? 12 : 0,
    })),
  )
  expect(await db.cursor('songs')).toEqual([{ partition: 0, partitions: 1, position: 12, taken: 12 }])
  expect(await db.breaches()).toEqual([])
})

test('from a broker to the log: what a slow partition has not handled waits in dead letters, in order, to be handled at once', async () => {
  await using db = await database()
  const slow = partitionOf('ada', PARTITIONS)
  for (const schema of ['credits', 'storage', 'notifier'])
    for (const partition of new Set(PEOPLE.map((key) => partitionOf(key, PARTITIONS)))) {
      const position = schema === 'credits' && partition === slow ? 9 : 20
      const mine = PEOPLE.flatMap((key, i) =>
        partitionOf(key, PARTITIONS) === partition ? [1, 5, 9, 13, 17].map((n) => n + i) : [],
      )
      await db.client.query(
        `insert into ${schema}.cursor (topic, partition, partitions, position, taken) values ('prelude.songs', $1, $2, $3, $4)`,
        [partition, PARTITIONS, position, mine.filter((one) => one <= position).length],
      )
    }
  expect(await setCursors(db.client, 'log')).toBe(0)
  expect(await db.cursor('credits')).toEqual([{ partition: 0, partitions: 1, position: 20, taken: 20 }])
  expect(await db.cursor('songs')).toEqual([])
  const { rows } = await db.client.query(
    `select key, array_agg(position::int order by id) as positions, min(value::json ->> 'for') as "for" from credits.dead_letter
     where replay_requested_at is not null group by key`,
  )
  expect(rows).toContainEqual({ key: 'ada', positions: [13, 17], for: '["credits"]' })
  expect(await db.breaches()).toEqual([])
})

test('recovered to an earlier time: what was not handled goes to the empty topics again, and nobody gets an old mail', async () => {
  await using db = await database()
  const place = (schema: string, partitions: number, position: number) =>
    db.client.query(
      `insert into ${schema}.cursor (topic, partition, partitions, position, taken)
       select 'prelude.songs', n, $1::integer, $2, case n when 0 then $2::bigint else 0 end from generate_series(0, $1::integer - 1) n`,
      [partitions, position],
    )
  for (const [schema, position] of [
    ['credits', 20],
    ['storage', 12],
    ['notifier', 8],
  ] as const)
    await place(schema, PARTITIONS, position)
  await place('songs', 1, 20) // its forwarder: the messages are gone with the topics
  expect(await fitToRecovered(db.adminUrl, 'broker')).toBe(8)
  expect(await db.cursor('songs')).toEqual([{ partition: 0, partitions: 1, position: 12, taken: 12 }])
  const old = await db.cursor('notifier')
  expect(old.map(({ position }) => position as number)).toEqual(Array(PARTITIONS).fill(20))
  expect(await db.breaches()).toEqual([])
})
