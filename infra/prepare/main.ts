import {
  busUrl as manyHosts,
  ConfigError,
  createLogger,
  readConfig,
  url,
  withoutTls,
} from '@prelude/platform'
import { prepare } from './prepare.ts'
import { SERVICE_SCHEMAS } from './schemas.ts'

/**
 * Runs before services start, at every upgrade too: creates or updates schemas and roles as DATABASE_ADMIN_URL, and topics.
 * Settings: a `<SCHEMA>_DATABASE_URL` for each service, as SONGS_DATABASE_URL, and AUDIT_DATABASE_URL.
 */

const settings = {
  ...Object.fromEntries(
    SERVICE_SCHEMAS.map(({ schema }) => [
      schema,
      { env: `${schema.toUpperCase()}_DATABASE_URL`, means: `how ${schema} will connect`, parse: url },
    ]),
  ),
  adminUrl: { env: 'DATABASE_ADMIN_URL', means: "the database's owner, postgres://…", parse: url },
  busUrl: { env: 'BUS_URL', means: 'where events go', parse: manyHosts },
  auditUrl: {
    env: 'AUDIT_DATABASE_URL',
    means: 'how the hourly check across services will connect',
    parse: url,
    fallback: null,
  },
  kvUrl: { env: 'KV_URL', means: 'sessions, limits and live fan-out', parse: url },
}

try {
  const { adminUrl, busUrl, kvUrl, auditUrl, ...databaseUrls } = readConfig(settings, process.env)
  const logger = createLogger({ service: 'prepare', level: 'info', pretty: process.stdout.isTTY })
  for (const setting of withoutTls({ adminUrl, kvUrl, auditUrl, ...databaseUrls }))
    logger.warn({ setting }, 'a database elsewhere is used without TLS: no sslmode')
  await prepare({ adminUrl, busUrl, kvUrl, auditUrl, databaseUrls }, logger)
  process.exit(0)
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
