import { ConfigError, createLogger, readConfig, withoutTls } from '@prelude/platform'
import { prepare, prepareSettings } from './prepare.ts'

/**
 * Runs before services start, at every upgrade too: creates or updates schemas and roles as DATABASE_ADMIN_URL, and topics.
 */

try {
  const settings = readConfig(prepareSettings, process.env)
  const { adminUrl, busUrl, kvUrl, auditUrl, monitorUrl, ...databaseUrls } = settings
  const logger = createLogger({ service: 'prepare', level: 'info', pretty: process.stdout.isTTY })
  for (const setting of withoutTls({ adminUrl, kvUrl, auditUrl, monitorUrl, ...databaseUrls }))
    logger.warn({ setting }, 'a database elsewhere is used without TLS: no sslmode')
  await prepare({ adminUrl, busUrl, kvUrl, auditUrl, monitorUrl, databaseUrls }, logger)
  process.exit(0)
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
