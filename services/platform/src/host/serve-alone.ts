import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { httpCalls, type ServiceCall } from '../http/index.ts'
import {
  busUrl,
  integer,
  optional,
  readConfig,
  setting,
  type Settings,
  text,
  url,
  type Values,
} from './config.ts'
import type { Dependency } from './health-checks.ts'
import { runService } from './run-service.ts'
import { createLogger, type Logger, startTracing } from '../observability/index.ts'
import { openBus } from './open-bus.ts'
import { logLevel, tracingSettings } from './product-settings.ts'
import { internalSecret, withoutTls } from './rules.ts'
import { type EventBus, serviceDatabase } from '../events/index.ts'
import type { ServiceName } from '@prelude/contracts'
import type { PostgresDatabase } from '../database/index.ts'
import type { Clock } from '../clock.ts'
import { ConfigError } from '../errors.ts'
import { createIdentity, readPublicKeys } from '../identity.ts'
import type { Service } from './service.ts'

const STOP_WITHIN_MS = 20_000
/** Longer than the health-check interval of load balancers, and than callers keep idle connections. */
const DRAIN_MS = 3_000

/** Settings of every service that runs alone. Nothing that matters has a default. */
const COMMON = {
  databaseUrl: setting('DATABASE_URL', "this service's database and role, postgres://…", url),
  poolerUrl: optional(
    'DATABASE_POOLER_URL',
    'the same database through a transaction pooler; sessions with LISTEN or locks go to DATABASE_URL',
    url,
  ),
  busUrl: setting('BUS_URL', 'where events go', busUrl),
  internalSecret: setting(
    'INTERNAL_SECRET',
    "this service's own, from which its keys are derived",
    internalSecret,
  ),
  publicKeys: setting(
    'INTERNAL_PUBLIC_KEYS',
    'service=key[,service=key], the public keys of all services',
    readPublicKeys,
  ),
  tlsCert: optional('TLS_CERT', 'certificate of the internal port, PEM', text),
  tlsKey: optional('TLS_KEY', 'its private key, PEM', text),
  host: setting('HOST', 'address of the internal port', text, '127.0.0.1'),
  port: setting('INTERNAL_PORT', 'the internal port', integer(1, 65_535)),
  logLevel,
  ...tracingSettings,
  authorities: optional(
    'NODE_EXTRA_CA_CERTS',
    'file of certificates that Node trusts too; it reads this itself',
    text,
  ),
}

/** The setting for the address of another service. */
const addressOf = (service: ServiceName) =>
  setting(`${service.toUpperCase()}_URL`, `internal address of ${service}`, url)

/** The setting for its address for what any of its instances can answer, where uploads go to one of them. */
const readAddressOf = (service: ServiceName) =>
  optional(
    `${service.toUpperCase()}_READS_URL`,
    `internal address of ${service} for reads, which any of its instances answers`,
    url,
  )

/** A service as its own process. */
export interface Program<S extends Settings> {
  readonly service: ServiceName
  /** Its own settings. */
  readonly settings: S
  /** Contradictions between them, a sentence each. */
  contradictions?(values: Values<S>): string[]
  /** The services it calls. */
  readonly calls: readonly ServiceName[]
  /** Those of them that may have an address of its own for reads. */
  readonly reads?: readonly ServiceName[]
}

const readsOf = (service: ServiceName) => `${service}Reads` as const

/** Every setting that the process reads. */
export const settingsOf = <S extends Settings>({ settings, calls, reads = [] }: Program<S>) => ({
  ...COMMON,
  ...Object.fromEntries(calls.map((called) => [called, addressOf(called)])),
  ...Object.fromEntries(reads.map((called) => [readsOf(called), readAddressOf(called)])),
  ...settings,
})

interface ServeOptions<S extends Settings> {
  readonly program: Program<S>
  readonly env: Record<string, string | undefined>
  readonly clock: Clock
  readonly make: (deps: {
    db: PostgresDatabase
    bus: EventBus
    calls: ServiceCall
    clock: Clock
    /** Names this process, and a later one in its place: it listens on this address as long as it works, and no other can. */
    instance: string
    logger: Logger
    config: Values<S>
  }) => {
    service: Service
    dependencies?: readonly Dependency[]
    /** Opens the public endpoint, once the internal port is open. */
    start?: () => Promise<PublicServer>
  }
}

/** What a service serves besides its internal port. */
interface PublicServer {
  drain(): void
  stop(): Promise<void>
}

/** Runs one service as its own process until SIGTERM. Ends with one sentence that names every missing or bad setting. */
export async function serveAlone<S extends Settings>(options: ServeOptions<S>): Promise<void> {
  try {
    const endTracing = await startTracing(options.program.service, options.env)
    await serve(options, endTracing)
  } catch (error) {
    const text = error instanceof ConfigError ? error.message : String((error as Error).stack)
    process.stderr.write(`${text}\n`)
    process.exit(1)
  }
}

async function serve<S extends Settings>(
  { program, env, clock, make }: ServeOptions<S>,
  endTracing: () => Promise<void>,
): Promise<void> {
  const { service: name, calls, reads = [] } = program
  const known: Settings = settingsOf(program)
  const all = readConfig(known, env) as unknown as Values<typeof COMMON> & Record<string, string>
  const { tlsCert: cert, tlsKey: key } = all
  const problems = [...(program.contradictions?.(all as unknown as Values<S>) ?? [])]
  if ((cert === null) !== (key === null)) problems.push('TLS_CERT and TLS_KEY go together')
  if (problems.length > 0) throw new ConfigError(`Bad settings: ${problems.join('; ')}.`)
  const logger = createLogger({ service: name, level: all.logLevel, pretty: process.stdout.isTTY })
  for (const setting of withoutTls(all))
    logger.warn({ setting: known[setting]?.env }, 'a database elsewhere is used without TLS: no sslmode')
  const identity = createIdentity(name, all.internalSecret, all.publicKeys)
  const db = serviceDatabase({ url: all.databaseUrl, poolerUrl: all.poolerUrl, service: name, clock, logger })
  const bus = openBus(all.busUrl, logger, { identity })
  const toOthers = httpCalls(
    Object.fromEntries(calls.map((called) => [called, all[called]])),
    identity,
    clock,
    Object.fromEntries(reads.map((called) => [called, all[readsOf(called)]])),
  )
  const { service, dependencies, start } = make({
    db,
    bus,
    calls: toOthers,
    clock,
    instance: `${hostname()} ${all.host}:${all.port}`,
    logger,
    config: all as unknown as Values<S>,
  })
  const running = await runService({
    service,
    db,
    bus,
    clock,
    logger,
    databaseUrl: all.databaseUrl,
    identity,
    tls: cert !== null && key !== null ? { cert, key } : undefined,
    host: all.host,
    port: all.port,
    dependencies: dependencies ?? [],
    waitingCalls: toOthers.waiting,
  })
  const publicServer = await start?.()
  logger.info({ address: running.address }, 'ready')

  const stop = (signal: NodeJS.Signals): void => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    const stopping = async (): Promise<void> => {
      running.drain()
      publicServer?.drain()
      if (signal === 'SIGTERM') await delay(DRAIN_MS)
      const callers = publicServer?.stop()
      await Promise.all([callers, running.stop(callers)])
      await bus.close()
      await endTracing()
    }
    stopping().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
}
