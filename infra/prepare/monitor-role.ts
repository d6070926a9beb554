import { withOwnerConnection } from '@prelude/platform'
import { ensureRole, lockSchemas, roleOf } from '@prelude/platform/migrate'

/** The role of the Prometheus exporter of PostgreSQL; other roles have the name of their schema. */
export const MONITOR_SCHEMA = 'monitor'
/** One a scrape, and those of scrapes that take long. */
const CONNECTIONS = 5

/** Lets the role read the server's statistics and settings, and no table of a service. */
export const grantMonitoring = (adminUrl: string, password: string): Promise<void> =>
  withOwnerConnection(adminUrl, async (client) => {
    await lockSchemas(client)
    const role = roleOf(MONITOR_SCHEMA)
    await ensureRole(client, role, password)
    await client.query(`alter role ${role} connection limit ${CONNECTIONS}`)
    await client.query(`grant pg_monitor to ${role}`)
  })
