import { testDatabase, testLogger } from '@prelude/platform/testing'
import { migrate } from '@prelude/platform'
import pg from 'pg'
import { expect, test } from 'vitest'
import { PART_SCHEMAS } from '../../prepare/schemas.ts'
import { sendAgain } from '../send-again.ts'

test('what some consumer has not seen is sent again, in order, and nothing that all have seen', async () => {
  await using database = await testDatabase()
  for (const spec of PART_SCHEMAS) await migrate(database.adminUrl, spec, 'test-role-password', testLogger())
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  await client.query(
    `insert into songs.outbox (event_id, topic, key, seq, type, version, at, correlation_id, data)
     select gen_random_uuid(), 'prelude.songs', key, seq, 'SongUpdated', 1, 0, 'c', '{}'
     from unnest(array['seen', 'behind', 'unknown']) key, generate_series(1, 4) seq`,
  )
  const mark = (schema: string, key: string, seq: number) =>
    client.query(`insert into ${schema}.inbox (topic, key, seq) values ('prelude.songs', $1, $2)`, [key, seq])
  for (const schema of ['credits', 'storage', 'notifier']) {
    await mark(schema, 'seen', 4)
    await mark(schema, 'behind', schema === 'storage' ? 2 : 4)
  }
  await mark('credits', 'unknown', 4)

  expect(await sendAgain(client)).toBe(6)
  const { rows } = await client.query(
    `select o.key, array_agg(o.seq::int order by u.id) as seqs from songs.outbox_unsent u join songs.outbox o using (id)
     group by o.key order by o.key`,
  )
  expect(rows).toEqual([
    { key: 'behind', seqs: [3, 4] },
    { key: 'unknown', seqs: [1, 2, 3, 4] },
  ])
  await client.end()
})
