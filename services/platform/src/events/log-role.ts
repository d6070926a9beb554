import { SERVICE_NAMES } from '@prelude/contracts'
import { ensureRole, lockSchemas, roleOf, withOwnerConnection } from '../database/index.ts'

/** The role that consumers without a broker read event logs with; other roles have the name of their schema. */
export const LOG_READER_SCHEMA = 'bus'

/** Lets the role select from the event logs of all services, and nothing else. Runs after their schemas are migrated. */
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
