import { expect, test } from 'vitest'
import { postgresDatabase } from '../src/database/index.ts'
import { eventSchemaOf, LOG_READER_SCHEMA } from '../src/events/index.ts'
import { testDatabase, testLogger } from './support/index.ts'
import { migrate, roleUrl, grantLogReading } from '../migrate/index.ts'

const PASSWORD = 'test-role-password'

test('a service appends to its log and can do nothing else to it; who reads all logs can only read them', async () => {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const logger = testLogger()
  await migrate(adminUrl, eventSchemaOf('songs'), PASSWORD, logger)
  await grantLogReading(adminUrl, PASSWORD)
  const as = (schema: string) =>
    postgresDatabase({ url: roleUrl(adminUrl, schema, PASSWORD), schema: 'songs', logger, poolSize: 1 })
  const [service, reader] = [as('songs'), as(LOG_READER_SCHEMA)]
  const refused = (database: typeof service, sql: string) =>
    expect(database.query(sql)).rejects.toThrow('permission denied')
  const append = `insert into event (id, key, type, version, at, correlation_id, data)
    values (gen_random_uuid(), 'k', 'T', 1, 0, 'c', '{}')`
  await service.query(append)
  for (const sql of ['delete from event', `update event set key = 'other'`, 'truncate event'])
    await refused(service, sql)
  expect((await reader.query('select position from event')).rows).toEqual([{ position: 1 }])
  for (const sql of [append, 'delete from event', 'select from cursor', 'select from dead_letter'])
    await refused(reader, sql)
  // with more in a session's cache, positions would not be drawn in the order of the locks
  const cached = `select cache_size as size from pg_sequences where sequencename = 'event_position_seq'`
  expect((await service.query(cached)).rows).toEqual([{ size: 1 }])
  await Promise.all([service.close(), reader.close()])
  await drop()
})
