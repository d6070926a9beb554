import { ConfigError, createLogger } from '@prelude/platform'
import { StartError } from '../embedded/start-error.ts'
import { readStackSettings } from './settings.ts'
import { countsFor, startStack } from './stack.ts'

/** Runs the native stack until SIGTERM; SIGHUP updates it to the version that is on disk. `make stack` starts it in the background; its log is `stack.log`. */

const STOP_WITHIN_MS = 50_000

try {
  const { product, instances } = readStackSettings(process.env)
  const logger = createLogger({ service: 'stack', level: 'info', pretty: false })
  const stack = await startStack({ settings: product, counts: countsFor(instances), logger })
  logger.info('ready')
  let updating: Promise<void> | null = null
  process.on('SIGHUP', () => {
    updating ??= stack
      .update()
      .then(
        () => logger.info('updated'),
        (error: Error) => logger.error({ err: error }, 'the update failed'),
      )
      .finally(() => (updating = null))
  })
  process.once('SIGTERM', () => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    void stack.stop().then(() => process.exit(0))
  })
} catch (error) {
  const expected = error instanceof StartError || error instanceof ConfigError
  process.stderr.write(`${expected ? error.message : String((error as Error).stack)}\n`)
  process.exit(1)
}
