import { type Clock, ConfigError, createLogger, startTracing } from '@prelude/platform'
import type { Endpoints } from './endpoints.ts'
import { isOfContainers, misplaced, readDotEnv } from './dot-env.ts'
import { startProduct } from './product.ts'
import { readSettings } from './settings.ts'
import { StartError } from './start-error.ts'

const STOP_WITHIN_MS = 20_000

/** The whole product in this process, until SIGINT (Ctrl-C) or SIGTERM. Ends the process when it cannot start. */
export async function runProduct(clock: Clock): Promise<void> {
  try {
    await run(clock)
  } catch (error) {
    const expected = error instanceof StartError || error instanceof ConfigError
    process.stderr.write(
      `${expected ? error.message : `Prelude did not start: ${String((error as Error).stack)}`}\n`,
    )
    process.exit(1)
  }
}

async function run(clock: Clock): Promise<void> {
  const dotEnv = readDotEnv()
  if (isOfContainers(dotEnv))
    process.stdout.write('The .env here is that of containers: its settings are not read.\n')
  else refuse(misplaced(dotEnv, null))
  const settings = readSettings(process.env)
  const endTracing = await startTracing('one', process.env)
  const logger = createLogger({ level: settings.logLevel, pretty: process.stdout.isTTY })
  let stopping = false
  const stop = (): void => {
    if (stopping) return
    stopping = true
    process.stdout.write('\nStopping…\n')
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    starting
      .then((product) => product.stop())
      .then(endTracing)
      .then(
        () => process.exit(0),
        () => process.exit(1),
      )
  }
  // a closed terminal must not end the product
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  // before the start: a signal during the start also stops all that was started
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const starting = startProduct(settings, logger, clock)
  const product = await starting
  if (stopping) return
  process.stdout.write(welcome(product.endpoints))
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new StartError(`${problems.join('; ')}.`)
}

function welcome({ web, mailbox, identity, checkout, generator, health, operator }: Endpoints): string {
  const standIns = { mail: mailbox, identity, checkout, generator }
  const lines = [
    `Prelude is ready: ${web}`,
    operator.email
      ? `  operator: sign in as ${operator.email}, admin password ${operator.password || 'as in OPERATOR_PASSWORD_HASH'}`
      : '  operator: the person with OPERATOR_UID, admin password as set, else in DATA_DIR/secrets.json',
    ...Object.entries(standIns).flatMap(([name, url]) => (url === null ? [] : [`  ${name}: ${url}`])),
    ...Object.entries(health).map(([service, url]) => `  health of ${service}: ${url}/healthz`),
    '  stop with Ctrl-C',
  ]
  return `\n${lines.join('\n')}\n\n`
}
