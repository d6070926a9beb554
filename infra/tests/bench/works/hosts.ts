import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Distributed, startDistributed } from '../../distributed/start.ts'
import { type Link, startLink } from '../../servers/link.ts'
import { type CpuShare, limitTo } from '../cpu-share.ts'
import { runLoad } from '../load.ts'
import { peopleOf, WITHOUT_LIMITS } from '../product.ts'
import { runWatch } from '../watch.ts'
import { ms, type Row, type Work } from '../work.ts'
import { chargedRate, SUBMIT } from './submit.ts'

/**
 * Several hosts, simulated on one: each process has a share of a core, as if it had a slow host for itself, and every
 * connection between two of them takes `delayMs` longer in each direction. Shows how throughput grows with instances and
 * what is used up first. Needs root, for control groups.
 */
export const hosts: Work = {
  name: 'hosts',
  byNameOnly: true,
  run: async () => {
    const rows: Row[] = []
    for (const { instances, delayMs } of SHAPES) rows.push(...(await measure(instances, delayMs)))
    return rows
  },
}

/** 1 ms: hosts of one zone, 5 ms: of two. */
const SHAPES = [
  { instances: 1, delayMs: 1 },
  { instances: 2, delayMs: 1 },
  { instances: 4, delayMs: 1 },
  { instances: 2, delayMs: 5 },
]
/** Of a core. A server's host is eight times as fast as a service's; Redis does little. */
const SHARES = { service: 0.05, postgres: 0.4, kafka: 0.4, redis: 0.1, s3: 0.1 } as const
/** Enough to use all of their shares; with more, requests wait for longer than their time limit. */
const CONNECTIONS_PER_INSTANCE = 8
const CREDITS = 10_000
const WARM_UP = { connections: CONNECTIONS_PER_INSTANCE, seconds: 8 }
const LOAD_SECONDS = 20
const WATCH_SECONDS = 20
const IDLE_MS = 20_000
const USED_UP = 0.5

/** One storage: it takes no part in a submit. */
const countsOf = (instances: number): Record<string, number> =>
  Object.fromEntries(
    ['gateway', 'songs', 'credits', 'payments', 'notifier'].map((service) => [service, instances]),
  )

async function measure(instances: number, delayMs: number): Promise<Row[]> {
  await using closing = new AsyncDisposableStack()
  const links: Link[] = []
  closing.defer(async () => void (await Promise.all(links.map((link) => link.close()))))
  const front = async (ports: readonly number[]): Promise<number> => {
    const link = await startLink(ports)
    links.push(link)
    return link.port
  }
  const running = closing.use(
    await startDistributed({ env: WITHOUT_LIMITS, counts: countsOf(instances), front }),
  )
  const connectionString = running.servers.env.DATABASE_ADMIN_URL
  const db = new pg.Pool({ connectionString, max: 2 })
  db.on('error', () => undefined)
  closing.defer(() => db.end())
  const rows = await measureOn({ running, links, db, instances, delayMs })
  running.product.checkInvariants()
  return rows
}

async function measureOn(options: {
  running: Distributed
  links: readonly Link[]
  db: pg.Pool
  instances: number
  delayMs: number
}): Promise<Row[]> {
  const { running, links, db, instances, delayMs } = options
  const bench = { product: { db } }
  const connections = CONNECTIONS_PER_INSTANCE * instances
  const { people } = await peopleOf(running.product)
  const cookies = (await people(connections, CREDITS)).map(({ cookie }) => cookie)
  const url = running.product.endpoints.web
  const load = { url, connections, callers: cookies.map((cookie) => ({ cookie })), calls: [SUBMIT] }
  // gently: some twenty processes compile their code on the same cores
  await chargedRate(bench, () => runLoad({ ...load, ...WARM_UP }))

  for (const link of links) link.slow(delayMs)
  const shares = await limited(running)
  try {
    const idle = await usageFrom(shares)
    await delay(IDLE_MS)
    const idleUsage = await idle()
    const loaded = await usageFrom(shares)
    const charged = await chargedRate(bench, () => runLoad({ ...load, seconds: LOAD_SECONDS }))
    const usage = await loaded()
    const perSecond = Math.max(1, Math.floor(charged.perSecond / 2))
    const watchers = cookies.slice(0, CONNECTIONS_PER_INSTANCE)
    const submits = perSecond * WATCH_SECONDS
    const half = await runWatch({ url, watchers, callers: watchers, submits, perSecond })

    const rows = {
      'idle, of a core for each process': list(idleUsage, ({ usedMs, processes }) =>
        percent(usedMs / IDLE_MS / processes),
      ),
      'songs charged': `${charged.perSecond.toFixed(1)}/s; of their shares: ${usedUp(usage)}`,
      'CPU time of a song': list(usage, ({ usedMs }) => ms(usedMs / charged.songs)),
      'at half that rate, the response': `p50 ${ms(half.answer.p50Ms)}, p99 ${ms(half.answer.p99Ms)}`,
      'at half that rate, charged': `p50 ${ms(half.charged.p50Ms)}, p99 ${ms(half.charged.p99Ms)}`,
    }
    return Object.entries(rows).map(([work, product]) => ({
      work: `hosts ${delayMs} ms apart, ${instances} of each service: ${work}`,
      product,
      goal: '',
      met: true,
    }))
  } finally {
    for (const { share } of shares) await share.end()
  }
}

interface Share {
  readonly of: string
  readonly cores: number
  readonly share: CpuShare
}

async function limited({ servers, instances }: Distributed): Promise<Share[]> {
  const shares: Share[] = []
  const services = instances.map(({ name, process: { pid } }) => [name, pid] as const)
  const all = Object.entries(servers.processes).map(([name, { pid }]) => [name, pid] as const)
  for (const [name, pid] of [...all, ...services]) {
    const cores = name in SHARES ? SHARES[name as keyof typeof SHARES] : SHARES.service
    shares.push({ of: name.replace(/-\d+$/, ''), cores, share: await limitTo(name, pid, cores) })
  }
  return shares
}

interface Usage {
  readonly name: string
  readonly processes: number
  readonly usedMs: number
  /** What the shares of its processes amount to. */
  readonly hadMs: number
}

/** Begins to measure; its result says what the processes of each service and each server have used since. */
async function usageFrom(shares: readonly Share[]): Promise<() => Promise<readonly Usage[]>> {
  const readAll = () => Promise.all(shares.map(({ share }) => share.used()))
  const [began, before] = [performance.now(), await readAll()]
  return async () => {
    const [lastedMs, after] = [performance.now() - began, await readAll()]
    const usages = shares.map(({ of, cores }, n) => ({
      name: of,
      usedMs: after[n]! - before[n]!,
      hadMs: cores * lastedMs,
    }))
    return [...Map.groupBy(usages, ({ name }) => name)].map(([name, each]) => ({
      name,
      processes: each.length,
      usedMs: sum(each.map(({ usedMs }) => usedMs)),
      hadMs: sum(each.map(({ hadMs }) => hadMs)),
    }))
  }
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)

const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`

const list = (usages: readonly Usage[], value: (usage: Usage) => string): string =>
  usages.map((one) => `${one.name} ${value(one)}`).join(', ')

/** Those that used more than half of their shares, the busiest first. */
const usedUp = (usages: readonly Usage[]): string =>
  list(
    usages
      .filter(({ usedMs, hadMs }) => usedMs / hadMs > USED_UP)
      .toSorted((a, b) => b.usedMs / b.hadMs - a.usedMs / a.hadMs),
    ({ usedMs, hadMs }) => percent(usedMs / hadMs),
  )
