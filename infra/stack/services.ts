import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import type { Logger } from '@prelude/platform'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ANSWER_WITHIN_MS, freePort, startProcess } from '../tests/servers/server-process.ts'
import { type Link, startLink, type Target } from './link.ts'
import { type Env, type ServiceContext, serviceEnv } from './service-env.ts'
import { type Supervised, supervise } from './supervise.ts'

/** How many instances of each service run. Uploads go to the first storage, whose volume has those in progress; all of them send audio. */
export type Counts = Readonly<Record<ServiceName, number>>

/** One running instance of a service. */
export interface Instance {
  readonly service: ServiceName
  readonly program: Supervised
  /** Internal address: health pages, operations for other services. */
  readonly address: string
  /** Gateways: the public port of this instance. */
  readonly publicPort: number | null
}

export interface RunningServices {
  readonly instances: readonly Instance[]
  readonly addresses: Readonly<Record<ServiceName, string>>
  /** The load balancers between services. */
  readonly links: readonly Link[]
  stop(): Promise<void>
}

interface Planned {
  readonly name: string
  readonly service: ServiceName
  readonly port: number
  readonly publicPort: number | null
}

const READY_WITHIN_MS = 60_000
/** As long as services repeat a call that is refused: a single instance that restarts is back sooner. */
const BACK_WITHIN_MS = 4_000
const SERVICE_MAIN = fileURLToPath(new URL('../tests/servers/service.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Starts every instance of every service as its own process below `dir`, with its own log. Several instances of a service
 * share one port by a load balancer; the gateways share `publicPort`.
 */
export async function startServices(options: {
  dir: string
  counts: Counts
  publicPort: number
  /** Puts a load balancer in front of a single instance too. */
  withLinks: boolean
  context: Omit<ServiceContext, 'addresses' | 'storageReads'>
  logger: Logger
}): Promise<RunningServices> {
  const { dir, counts, withLinks, logger } = options
  const planned = await plan(counts)
  const links: Link[] = []
  const programs: Supervised[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(programs.map((program) => program.stop()))
    await Promise.all(links.map((link) => link.close()))
  }
  try {
    const balance = async (targets: readonly Target[], port?: number): Promise<Link> => {
      const link = await startLink(targets, port, BACK_WITHIN_MS)
      links.push(link)
      return link
    }
    const reach = async (targets: readonly Target[]): Promise<string> => {
      const port = targets.length === 1 && !withLinks ? targets[0]?.port : (await balance(targets)).port
      return `http://127.0.0.1:${port}`
    }
    const targetsOf = (service: ServiceName): Target[] =>
      planned.filter((one) => one.service === service).map(({ port }) => target(port, port))
    const addresses = {} as Record<ServiceName, string>
    for (const service of SERVICE_NAMES)
      addresses[service] = await reach(targetsOf(service).slice(0, service === 'storage' ? 1 : undefined))
    const storageReads = await reach(targetsOf('storage'))
    const gateways = planned.flatMap(({ port, publicPort }) =>
      publicPort === null ? [] : [target(publicPort, port)],
    )
    const between = [...links]
    await balance(gateways, options.publicPort)
    const context: ServiceContext = { ...options.context, addresses, storageReads }
    const instances = await Promise.all(
      planned.map(async (one): Promise<Instance> => {
        const program = await supervise(one.name, () => startInstance(one, dir, context), logger)
        programs.push(program)
        const { service, port, publicPort } = one
        return { service, program, address: `http://127.0.0.1:${port}`, publicPort }
      }),
    )
    return { instances, addresses, links: between, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Longer than the load balancers' health check interval of one second. */
const NOTICED_AFTER_MS = 1_500

interface Restarted {
  readonly name: string
  readonly stopMs: number
  readonly startMs: number
}

/** Rolling restart: stops and starts one instance after the other, from the code that is on disk now. */
export async function* restartOneByOne(instances: readonly Instance[]): AsyncGenerator<Restarted> {
  for (const { program, address } of instances) {
    const began = performance.now()
    await program.stop()
    const stopped = performance.now()
    await program.start()
    await ready(program.name, address)
    yield { name: program.name, stopMs: stopped - began, startMs: performance.now() - stopped }
    await delay(NOTICED_AFTER_MS)
  }
}

async function ready(name: string, address: string): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS
  for (;;) {
    const answer = await fetch(`${address}/readyz`).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.ok) return
    if (performance.now() > deadline) throw new Error(`${name} is not ready again`)
    await delay(100)
  }
}

const target = (port: number, internalPort: number): Target => ({
  port,
  health: `http://127.0.0.1:${internalPort}/readyz`,
})

async function plan(counts: Counts): Promise<Planned[]> {
  const planned: Planned[] = []
  for (const service of SERVICE_NAMES)
    for (let n = 1; n <= counts[service]; n++)
      planned.push({
        service,
        name: `${service}-${n}`,
        port: await freePort(),
        publicPort: service === 'gateway' ? await freePort() : null,
      })
  return planned
}

function startInstance({ name, service, port, publicPort }: Planned, dir: string, context: ServiceContext) {
  const folder = join(dir, name)
  const env: Env = {
    ...serviceEnv(service, context),
    INTERNAL_PORT: String(port),
    ...(publicPort !== null && { PORT: String(publicPort) }),
    ...(service === 'storage' && { STAGING_DIR: join(folder, 'staging') }),
    NODE_ENV: 'production',
  }
  return startProcess({
    name,
    dir: folder,
    command: process.execPath,
    args: [SERVICE_MAIN, service],
    env,
    cwd: ROOT,
    healthy: async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`, {
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`/healthz answers ${answer.status}`)
      if (publicPort !== null) await fetch(`http://127.0.0.1:${publicPort}/healthz`)
    },
  })
}
