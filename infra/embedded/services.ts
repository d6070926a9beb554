import type { FastifyInstance } from 'fastify'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createCredits } from '@prelude/credits'
import { createGateway, gatewayConfigOf, openKeyValue } from '@prelude/gateway'
import { alertsOf, createNotifier, pushesOf, senderOf, smtpMailer } from '@prelude/notifier'
import { createPayments } from '@prelude/payments'
import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import {
  type Clock,
  type Dependency,
  identitiesFrom,
  inProcessCalls,
  type Logger,
  openBus,
  type PostgresDatabase,
  type Running,
  runService,
  type Service,
  type ServiceCall,
  serviceDatabase,
  startJob,
} from '@prelude/platform'
import { createSongs } from '@prelude/songs'
import { createStorage, generatorDependencies, openBlobs, openGenerator } from '@prelude/storage'
import { CHECKOUT } from './dot-env.ts'
import type { OutsideParties } from './outside-parties.ts'
import { crossCheck } from '../invariants/cross-check.ts'
import { AUDIT_SCHEMA } from '../prepare/audit-role.ts'
import { prepare } from '../prepare/prepare.ts'
import type { Secrets } from './secrets.ts'
import { publicHostOf, type Settings } from './settings.ts'
import { roleUrl } from '@prelude/platform/migrate'

interface RunningServices {
  /** Internal address of each service. */
  readonly health: Record<string, string>
  stop(): Promise<void>
}

interface ServiceContext {
  readonly settings: Settings
  readonly secrets: Secrets
  readonly adminUrl: string
  readonly outside: OutsideParties
  readonly clock: Clock
  readonly logger: Logger
}

/** Starts the gateway and the five services in this process, on the embedded adapters. */
export async function startServices({
  settings,
  secrets,
  adminUrl,
  outside,
  clock,
  logger,
}: ServiceContext): Promise<RunningServices> {
  const urlOf = (schema: string): string => roleUrl(adminUrl, schema, secrets.databaseRoles)
  const databaseUrls = Object.fromEntries(SERVICE_NAMES.map((name) => [name, urlOf(name)]))
  const auditUrl = urlOf(AUDIT_SCHEMA)
  const addresses = { adminUrl, busUrl: urlOf('bus'), kvUrl: urlOf('kv'), auditUrl, databaseUrls }
  await prepare(addresses, quiet(logger))
  const here = { onlySubscriber: true } // one process at a time has the data folder, and commands subscribe to nothing
  const bus = openBus(urlOf('bus'), logger.child({ service: 'bus' }), here)
  const kv = openKeyValue(urlOf('kv'), logger.child({ service: 'key-value' }), clock, here)
  const blobs = openBlobs(pathToFileURL(join(settings.dataDir, 'blobs')).href)
  const mailer = smtpMailer({
    url: outside.smtpUrl,
    from: senderOf(settings),
    logger: logger.child({ service: 'mail' }),
  })

  const apps = new Map<ServiceName, FastifyInstance>()
  const identityOf = identitiesFrom(secrets.internal)
  const running: Running[] = []
  const run = async (
    name: ServiceName,
    make: (deps: { db: PostgresDatabase; calls: ServiceCall; logger: Logger }) => Service,
    dependencies: readonly Dependency[] = [],
  ): Promise<void> => {
    const databaseUrl = urlOf(name)
    const db = serviceDatabase({ url: databaseUrl, service: name, clock, logger })
    const own = logger.child({ service: name })
    const identity = identityOf(name)
    const service = make({ db, calls: inProcessCalls(apps, identity, clock), logger: own })
    const one = await runService({
      service,
      db,
      databaseUrl,
      bus,
      clock,
      logger: own,
      identity,
      dependencies,
    })
    apps.set(service.name, one.app)
    health[service.name] = one.address
    running.push(one)
  }
  const health: Record<string, string> = {}
  const { brandName, supportEmail, operatorEmail, publicUrl, startingCreditsCents } = settings

  await run('songs', ({ db }) => createSongs({ db, clock, config: settings }))
  await run('credits', ({ db }) => createCredits({ db, clock, config: { startingCreditsCents } }))
  await run('payments', ({ db, logger }) =>
    createPayments({
      db,
      clock,
      logger,
      config: { publicUrl, stripe: outside.stripe, paystackSecretKey: settings.paystackSecretKey },
    }),
  )
  const stagingDir = join(settings.dataDir, 'staging')
  const generator = openGenerator({ ...settings, ...outside.generator })
  await run(
    'storage',
    ({ db, calls, logger }) =>
      createStorage({ db, clock, calls, blobs, generator, logger, config: { ...settings, stagingDir } }),
    [{ name: 'blobs', needed: false, ping: () => blobs.ping() }, ...generatorDependencies(generator)],
  )
  await run(
    'notifier',
    ({ db, calls, logger }) =>
      createNotifier({
        db,
        clock,
        instance: 'product', // one process at a time has the data folder
        calls,
        mailer,
        logger,
        config: {
          brandName,
          publicUrl,
          supportEmail,
          operatorEmail,
          changesIncluded: settings.changesIncluded,
          changesDays: settings.changesDays,
          alerts: alertsOf({ ...settings, runsIn: { checkout: CHECKOUT, dataDir: settings.dataDir } }),
          pushes: pushesOf(settings),
        },
      }),
    [{ name: 'mail', needed: false, ping: () => mailer.ping() }],
  )

  let gateway: ReturnType<typeof createGateway> | undefined
  await run(
    'gateway',
    ({ db, calls, logger }) => {
      const all = { ...settings, ...outside.identity, webRoot: WEB_ROOT, blobsPublicUrl: null }
      gateway = createGateway({ db, clock, kv, bus, calls, logger, config: gatewayConfigOf(all) })
      return gateway.service
    },
    [{ name: 'key-value', needed: true, ping: () => kv.ping() }],
  )
  const publicApp = await gateway!.publicApp()
  await publicApp.listen({ host: publicHostOf(settings), port: settings.port })
  const auditLogger = logger.child({ service: 'auditor' })
  const auditing = startJob(crossCheck({ url: auditUrl, clock, logger: auditLogger }), clock, auditLogger)

  return {
    health,
    stop: async () => {
      const closing = publicApp.close() // its last requests call the services
      await Promise.all([closing, auditing.stop(), ...running.map((one) => one.stop(closing))])
      await Promise.all([bus.close(), kv.close(), mailer.close(), blobs.close()])
    },
  }
}

/** Warnings only: `prepare` runs at every start. */
const quiet = (logger: Logger): Logger => logger.child({}, { level: 'warn' })

const WEB_ROOT = fileURLToPath(new URL('../../web/dist/', import.meta.url))
