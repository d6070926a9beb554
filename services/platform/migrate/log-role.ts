import { SERVICE_NAMES } from '@prelude/contracts'
import { LOG_READER_SCHEMA, withOwnerConnection } from '../src/index.ts'
import { ensureRole, lockSchemas, roleOf } from './migrate.ts'

/** Lets the role of consumers without a broker select from the event logs of all services, and nothing else. Runs after their schemas are migrated. */
export const grantLogReading = (adminUrl: string, password: string): Promise<void> =>
  withOwnerConnection(adminUrl, async (client) => {
    await lockSchemas(client)
    const role = roleOf(LOG_READER_SCHEMA)
    await ensureRole(client, role, password)
    const { rows } = await client.query<{ schema: string }>(
      `select schemaname as schema from pg_tables where tablename = 'event' and schemaname = any($1)`,
      [SERVICE_NAMES],
    )
    for (const { schema } of rows) {
      await client.query(`grant usage on schema ${schema} to ${role}`)
      await client.query(`grant select on ${schema}.event to ${role}`)
    }
  })
