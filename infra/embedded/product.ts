import type { Clock, Logger } from '@prelude/platform'
import { keepPostgres } from './database.ts'
import { type Endpoints, removeEndpoints, writeEndpoints } from './endpoints.ts'
import { lockInstance } from './instance-lock.ts'
import { reachOutsideParties } from './outside-parties.ts'
import { assertFree } from './ports.ts'
import { keptSecrets } from './secrets.ts'
import { startServices } from './services.ts'
import { publicHostOf, type Settings } from './settings.ts'

interface Product {
  readonly endpoints: Endpoints
  /** Of the database's owner, for checks. */
  readonly adminUrl: string
  stop(): Promise<void>
}

/**
 * Starts the whole product in this process on embedded defaults. A step that fails stops all that was started before.
 * Errors: StartError with one sentence for a taken port, an unwritable folder, a second instance on the same data.
 */
export async function startProduct(settings: Settings, logger: Logger, clock: Clock): Promise<Product> {
  const { dataDir } = settings
  const started: (() => Promise<void>)[] = []
  const stop = async (): Promise<void> => {
    for (const stopOne of started.splice(0).toReversed())
      await stopOne().catch((error: Error) => logger.error({ err: error }, 'did not stop cleanly'))
  }
  try {
    const lock = lockInstance(dataDir, { name: 'prelude', what: 'Prelude' })
    started.push(async () => lock.release())
    await assertFree(settings.port, publicHostOf(settings))
    const secrets = await keptSecrets(dataDir, settings)
    const database = await keepPostgres(dataDir, logger.child({ service: 'database' }))
    started.push(() => database.stop())
    const outside = await reachOutsideParties({ settings, secrets, clock, logger })
    started.push(() => outside.stop())
    const services = await startServices({
      settings,
      secrets,
      adminUrl: database.localUrl,
      outside,
      clock,
      logger,
    })
    started.push(() => services.stop())
    const endpoints: Endpoints = {
      web: settings.publicUrl,
      ...outside.standIns,
      health: services.health,
      operator: outside.operator,
      pid: process.pid,
    }
    await writeEndpoints(dataDir, endpoints)
    started.push(() => removeEndpoints(dataDir))
    return { endpoints, adminUrl: database.adminUrl, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
