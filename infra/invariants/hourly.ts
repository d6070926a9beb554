import { ConfigError, createLogger, readConfig, startJob, systemClock } from '@prelude/platform'
import { auditorSettings, crossCheck } from './cross-check.ts'

/**
 * The hourly check of the cross-service invariants, as a process of its own. `--once` checks now and exits, for the clock of a
 * cluster. Setting: AUDIT_DATABASE_URL.
 */

try {
  const { auditUrl } = readConfig(auditorSettings, process.env)
  const logger = createLogger({ service: 'auditor', level: 'info', pretty: process.stdout.isTTY })
  if (process.argv.includes('--once')) {
    await crossCheck({ url: auditUrl, clock: systemClock, logger, from: 0 }).run(new AbortController().signal)
    process.exit(0)
  }
  const checking = startJob(crossCheck({ url: auditUrl, clock: systemClock, logger }), systemClock, logger)
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void checking.stop().then(() => process.exit(0)))
} catch (error) {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
