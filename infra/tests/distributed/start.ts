import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import { hashPassword } from '@prelude/gateway'
import { publicKeysFrom, secretOf, systemClock } from '@prelude/platform'
import { testLogger } from '@prelude/platform/testing'
import { writeEndpoints } from '../../embedded/endpoints.ts'
import { type OutsideParties, reachOutsideParties } from '../../embedded/outside-parties.ts'
import { keptSecrets } from '../../embedded/secrets.ts'
import { TRIAL } from '../../docker/settings.ts'
import { readSettings } from '../../embedded/settings.ts'
import {
  acceptsConnections,
  answersOk,
  freePort,
  type Process,
  startProcess,
} from '../servers/server-process.ts'
import { SERVICES } from '../support/programs.ts'
import { type ProductProcess, runningProduct } from '../support/product-process.ts'
import { ROOT, type Servers, startServers } from './servers.ts'

/** Answers the port at which others reach these ports of all instances of one service: a proxy's, say. */
type Front = (ports: readonly number[]) => Promise<number>

/** One of the processes of a service. Once its process has ended, `start` runs another one at the same ports. */
export interface Instance {
  /** `songs-1` */
  readonly name: string
  readonly service: ServiceName
  /** Internal address: health pages, operations for other services. */
  readonly address: string
  readonly process: Process
  /** From the checkout `root`, by default the one of its last start. Resolves when it is ready. */
  start(root?: string): Promise<void>
}

export interface Distributed extends AsyncDisposable {
  readonly product: ProductProcess
  readonly servers: Servers
  readonly instances: readonly Instance[]
}

interface Options {
  /** Secrets and the data of stand-ins; default: a folder that goes with the product. */
  readonly dir?: string
  /** Default: servers of its own. */
  readonly servers?: Servers
  /** Settings of the product, by their names. */
  readonly env?: Readonly<Record<string, string>>
  /** The checkout that servers are prepared from and services run from; default: this one. */
  readonly root?: string
  /** Of each service; default: 1. */
  readonly counts?: Partial<Record<ServiceName, number>>
  /** Default: others reach the first instance of a service, without a proxy. */
  readonly front?: Front
}

/**
 * Starts the product distributed: each service as processes of its own on real servers, and stand-ins for the outside parties.
 * All of it ends with this process at the latest. Errors: ServerMissing.
 */
export async function startDistributed(options: Options = {}): Promise<Distributed> {
  const { root = ROOT, counts = {}, front = async ([port = 0]) => port } = options
  await using starting = new AsyncDisposableStack()
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'prelude-distributed-')))
  if (options.dir === undefined) starting.defer(() => rm(dir, { recursive: true, force: true }))
  const servers = options.servers ?? starting.use(await startServers(dir, { root }))

  const planned: Planned[] = []
  for (const service of SERVICE_NAMES)
    for (let n = 1; n <= (counts[service] ?? 1); n++) {
      const name = `${service}-${n}`
      const [port, publicPort] = [await freePort(), service === 'gateway' ? await freePort() : 0]
      planned.push({ service, name, dir: join(dir, name), port, publicPort })
    }
  const gateways = planned.flatMap(({ publicPort }) => publicPort || [])
  const env = { RATE_LIMITS: 'off', LOG_LEVEL: 'warn', PORT: String(await front(gateways)), ...options.env }
  const settings = readSettings({ ...env, DATA_DIR: dir })
  const secrets = await keptSecrets(dir, settings)
  const reaching = { settings, secrets, clock: systemClock, logger: testLogger() }
  const outside = await reachOutsideParties({ ...reaching, hash: hashPassword }) // services refuse a quicker hash
  starting.defer(() => outside.stop())
  const shared = {
    ...TRIAL,
    ...settingsOf(outside),
    ...(await addressesOf(planned, front)),
    ...env,
    GENERATOR_URL: outside.generator.generatorUrl ?? '',
    GENERATOR_KEY: outside.generator.generatorKey ?? '',
    PUBLIC_URL: settings.publicUrl,
    PUBLIC_HOST: '127.0.0.1',
    INTERNAL_PUBLIC_KEYS: publicKeysFrom(secrets.internal),
    NODE_ENV: 'production',
  }
  const instances: Instance[] = []
  starting.defer(async () => void (await Promise.all(instances.map((one) => one.process.stop()))))
  const started = await Promise.allSettled(
    planned.map(async (one) => {
      const INTERNAL_SECRET = secretOf(one.service, secrets.internal)
      instances.push(
        await startInstance(one, { ...shared, ...servers.envOf(one.service), INTERNAL_SECRET }, root),
      )
    }),
  )
  for (const one of started) if (one.status === 'rejected') throw one.reason
  const health = instances.toSorted((one, other) => other.name.localeCompare(one.name))
  await writeEndpoints(dir, {
    web: settings.publicUrl,
    ...outside.standIns,
    gateways: gateways.map((port) => `http://127.0.0.1:${port}`),
    health: Object.fromEntries(
      health.flatMap(({ name, service, address }) => [
        [name, address],
        [service, address],
      ]),
    ),
    operator: outside.operator,
    pid: process.pid,
  })
  const product = await runningProduct(dir, servers.env)
  const ending = starting.move()
  return { product, servers, instances, [Symbol.asyncDispose]: () => ending.disposeAsync() }
}

interface Planned extends Pick<Instance, 'name' | 'service'> {
  readonly dir: string
  readonly port: number
  /** 0: of no gateway. */
  readonly publicPort: number
}

/** Where services find each other. */
async function addressesOf(planned: readonly Planned[], front: Front): Promise<Record<string, string>> {
  const addresses: Record<string, string> = {}
  for (const service of SERVICE_NAMES) {
    const ports = planned.flatMap((one) => (one.service === service ? [one.port] : []))
    const urlOf = async (some: readonly number[]) => `http://127.0.0.1:${await front(some)}`
    // uploads go to the first storage, whose volume has those in progress
    const isStorage = service === 'storage'
    addresses[`${service.toUpperCase()}_URL`] = await urlOf(isStorage ? ports.slice(0, 1) : ports)
    if (isStorage) addresses['STORAGE_READS_URL'] = await urlOf(ports)
  }
  return addresses
}

const settingsOf = ({ identity, stripe, ...outside }: OutsideParties): Record<string, string> => ({
  OPERATOR_UID: identity.operatorUid,
  OPERATOR_PASSWORD_HASH: identity.operatorPasswordHash,
  OIDC_ISSUER: identity.oidcIssuer,
  OIDC_CLIENT_ID: identity.oidcClientId,
  OIDC_CLIENT_SECRET: identity.oidcClientSecret,
  OIDC_PROVIDER_NAME: identity.oidcProviderName,
  STRIPE_SECRET_KEY: stripe.secretKey,
  STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
  STRIPE_API_URL: stripe.apiUrl ?? '',
  MAIL_URL: outside.smtpUrl,
})

async function startInstance(
  { name, service, dir, port, publicPort }: Planned,
  env: Record<string, string>,
  root: string,
): Promise<Instance> {
  const address = `http://127.0.0.1:${port}`
  const ports = { INTERNAL_PORT: String(port), PORT: String(publicPort) }
  const run = (from: string): Promise<Process> =>
    startProcess({
      name,
      dir,
      command: process.execPath,
      args: [join(from, SERVICES[service].main)],
      env: { ...env, ...ports, STAGING_DIR: join(dir, 'staging'), WEB_ROOT: join(from, 'web/dist') },
      cwd: from,
      healthy: async () => {
        await answersOk(`${address}/readyz`)
        if (publicPort) await acceptsConnections(publicPort)
      },
    })
  let last = root
  let current = await run(root)
  return {
    ...{ name, service, address },
    get process() {
      return current
    },
    start: async (next = last) => {
      current = await run((last = next))
    },
  }
}
