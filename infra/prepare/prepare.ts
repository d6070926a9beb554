import { TOPICS } from '@prelude/contracts'
import {
  busUrl,
  ConfigError,
  LOG_READER_SCHEMA,
  type Logger,
  optional,
  setting,
  url,
} from '@prelude/platform'
import { AUDIT_SCHEMA, grantAuditing } from './audit-role.ts'
import { grantMonitoring, MONITOR_SCHEMA } from './monitor-role.ts'
import { SERVICE_SCHEMAS } from './schemas.ts'
import { createTopics } from './topics.ts'
import { grantLogReading, migrate, roleOf } from '@prelude/platform/migrate'
import { KV_SCHEMA } from '@prelude/gateway'

/** Of the process that runs `prepare`. */
export const prepareSettings = {
  ...Object.fromEntries(
    SERVICE_SCHEMAS.map(({ schema }) => [
      schema,
      setting(`${schema.toUpperCase()}_DATABASE_URL`, `how ${schema} will connect`, url),
    ]),
  ),
  adminUrl: setting('DATABASE_ADMIN_URL', "the database's owner, postgres://…", url),
  busUrl: setting('BUS_URL', 'where events go', busUrl),
  auditUrl: optional('AUDIT_DATABASE_URL', 'how the hourly check across services will connect', url),
  monitorUrl: optional('MONITOR_DATABASE_URL', 'how the exporter of PostgreSQL will connect', url),
  kvUrl: setting('KV_URL', 'sessions, limits and live fan-out', url),
}

interface Addresses {
  /** The database's owner, who may make schemas and roles. */
  readonly adminUrl: string
  readonly busUrl: string
  readonly kvUrl: string
  /** By service: the address under which it will connect; its role gets the password in it. */
  readonly databaseUrls: Readonly<Record<string, string>>
  /** As which the check across services connects; null where services have databases of their own. */
  readonly auditUrl: string | null
  /** As which a Prometheus exporter connects; null or missing where there is none. */
  readonly monitorUrl?: string | null
}

/**
 * Creates or updates what services need before they start: a schema and a role for each, the topics. Idempotent, also when
 * run concurrently. Errors: ConfigError for an address of another role than the service's own.
 */
export async function prepare(addresses: Addresses, logger: Logger): Promise<void> {
  const { adminUrl, kvUrl, databaseUrls, auditUrl, monitorUrl = null } = addresses
  const all: Record<string, string> = { ...databaseUrls, [KV_SCHEMA.schema]: kvUrl }
  for (const spec of [...SERVICE_SCHEMAS, KV_SCHEMA]) {
    const password = passwordOf(spec.schema, all[spec.schema] ?? '')
    if (password === null) continue
    await migrate(adminUrl, spec, password, logger)
    logger.info({ schema: spec.schema }, 'schema and role are up to date')
  }
  const auditPassword = auditUrl === null ? null : passwordOf(AUDIT_SCHEMA, auditUrl)
  if (auditPassword !== null) await grantAuditing(adminUrl, auditPassword)
  const monitorPassword = monitorUrl === null ? null : passwordOf(MONITOR_SCHEMA, monitorUrl)
  if (monitorPassword !== null) await grantMonitoring(adminUrl, monitorPassword)
  const password = passwordOf(LOG_READER_SCHEMA, addresses.busUrl)
  if (password !== null) return grantLogReading(adminUrl, password)
  await createTopics(addresses.busUrl, TOPICS, logger)
  logger.info('topics exist')
}

/** Null when the adapter is not PostgreSQL. Errors: ConfigError when the address names another role. */
function passwordOf(schema: string, address: string): string | null {
  if (!/^postgres(ql)?:/.test(address)) return null
  const { username, password } = new URL(address)
  if (username !== roleOf(schema))
    throw new ConfigError(`Bad settings: the address of ${schema} must name ${roleOf(schema)}.`)
  return decodeURIComponent(password)
}
