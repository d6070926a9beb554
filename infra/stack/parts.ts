import { SERVICE_NAMES, type ServiceName } from '@prelude/contracts'
import type { Logger } from '@prelude/platform'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, startProcess } from '../native/server-process.ts'
import { type Link, startLink, type Target } from './link.ts'
import { type Around, type Env, partEnv } from './part-env.ts'
import { type Supervised, supervise } from './supervise.ts'

export const PARTS = SERVICE_NAMES

/** How many of each run. Storage keeps half-done uploads on its own volume, so there is one of it a volume. */
export type Counts = Readonly<Record<ServiceName, number>>

/** One running instance of a part. */
export interface Instance {
  readonly part: ServiceName
  readonly program: Supervised
  /** Internal address: health pages, operations for other parts. */
  readonly address: string
  /** Gateways: the public port of this one alone. */
  readonly publicPort: number | null
}

export interface RunningParts {
  readonly instances: readonly Instance[]
  readonly addresses: Readonly<Record<ServiceName, string>>
  stop(): Promise<void>
}

interface Planned {
  readonly name: string
  readonly part: ServiceName
  readonly port: number
  readonly publicPort: number | null
}

const READY_WITHIN_MS = 60_000
const SERVICE = fileURLToPath(new URL('../native/service.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Every instance of every part as its own process below `dir`, with its own log; where a part has several, others reach
 * it through a port that shares the work out, as they do the gateways at `publicPort`.
 */
export async function startParts(options: {
  dir: string
  counts: Counts
  publicPort: number
  around: Omit<Around, 'addresses'>
  logger: Logger
}): Promise<RunningParts> {
  const { dir, counts, logger } = options
  const planned = await plan(counts)
  const links: Link[] = []
  const programs: Supervised[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(programs.map((program) => program.stop()))
    await Promise.all(links.map((link) => link.close()))
  }
  try {
    const balance = async (targets: readonly Target[], port?: number): Promise<Link> => {
      const link = await startLink(targets, port)
      links.push(link)
      return link
    }
    const addresses = {} as Record<ServiceName, string>
    for (const part of PARTS) {
      const targets = planned.filter((one) => one.part === part).map(({ port }) => target(port, port))
      const [only] = targets
      const port = targets.length === 1 ? only?.port : (await balance(targets)).port
      addresses[part] = `http://127.0.0.1:${port}`
    }
    const gateways = planned.flatMap(({ port, publicPort }) =>
      publicPort === null ? [] : [target(publicPort, port)],
    )
    await balance(gateways, options.publicPort)
    const around: Around = { ...options.around, addresses }
    const instances = await Promise.all(
      planned.map(async (one): Promise<Instance> => {
        const program = await supervise(one.name, () => startInstance(one, dir, around), logger)
        programs.push(program)
        const { part, port, publicPort } = one
        return { part, program, address: `http://127.0.0.1:${port}`, publicPort }
      }),
    )
    return { instances, addresses, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The balancers look every second. */
const SEEN_AFTER_MS = 1_500

export interface Restarted {
  readonly name: string
  readonly stopMs: number
  readonly startMs: number
}

/** Each instance of each part, one after the other, is told to stop and started again, from the code that is on disk now. */
export async function* restartOneByOne(instances: readonly Instance[]): AsyncGenerator<Restarted> {
  for (const { program, address } of instances) {
    const began = performance.now()
    await program.stop()
    const stopped = performance.now()
    await program.start()
    await ready(program.name, address)
    yield { name: program.name, stopMs: stopped - began, startMs: performance.now() - stopped }
    await delay(SEEN_AFTER_MS)
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
  for (const part of PARTS)
    for (let n = 1; n <= counts[part]; n++)
      planned.push({
        part,
        name: `${part}-${n}`,
        port: await freePort(),
        publicPort: part === 'gateway' ? await freePort() : null,
      })
  return planned
}

function startInstance({ name, part, port, publicPort }: Planned, dir: string, around: Around) {
  const folder = join(dir, name)
  const env: Env = {
    ...partEnv(part, around),
    INTERNAL_PORT: String(port),
    ...(publicPort !== null && { PORT: String(publicPort) }),
    ...(part === 'storage' && { STAGING_DIR: join(folder, 'staging') }),
    NODE_ENV: 'production',
  }
  return startProcess({
    name,
    dir: folder,
    command: process.execPath,
    args: [SERVICE, part],
    env,
    cwd: ROOT,
    healthy: async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(1_000) })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`health says ${answer.status}`)
      if (publicPort !== null) await fetch(`http://127.0.0.1:${publicPort}/healthz`)
    },
    readyWithinMs: READY_WITHIN_MS,
  })
}
