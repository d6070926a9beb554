import { setTimeout as delay } from 'node:timers/promises'
import { parentOf, processTimes, treeTimes } from '../process.ts'
import { type BenchProduct, startBenchProduct } from '../product.ts'
import { runWatch } from '../watch.ts'
import { atMost, ms, type Row, type Work } from '../work.ts'

const PEOPLE = 32
const CREDITS = 10_000
const SECONDS = 20
const RATES = [
  { perSecond: 20, answer: [5, 10], charged: [11, 25], processor: [6, 3] },
  { perSecond: 200, answer: [8, 25], charged: [20, 60], processor: [2.1, 1.4] },
] as const

/**
 * What a song costs, and how long a person waits, at steady rates: 32 people, each with one live stream. On a product of its
 * own, so that the operator's mails of earlier songs are sent before each rate begins.
 */
export const cost: Work = {
  name: 'cost',
  run: async () => {
    await using product = await startBenchProduct()
    const people = await product.people(PEOPLE, CREDITS)
    const cookies = people.map(({ cookie }) => cookie)
    const submitAt = (perSecond: number) =>
      runWatch({
        url: product.url,
        watchers: cookies,
        callers: cookies,
        submits: perSecond * SECONDS,
        perSecond,
      })
    await submitAt(100) // the process compiles
    const idle = await usageOf(product, () => delay(SECONDS * 1_000))
    const rows: Row[] = []
    for (const { perSecond, ...goal } of RATES) {
      const { used, result } = await usageOf(product, () => submitAt(perSecond))
      const { answer, charged } = result
      const aSong = (what: keyof Usage): number => (used[what] - idle.used[what]) / (perSecond * SECONDS)
      rows.push(
        atMost(`submit → answer at ${perSecond}/s`, ms, {
          p50: [answer.p50Ms, goal.answer[0]],
          p99: [answer.p99Ms, goal.answer[1]],
        }),
        atMost(`submit → charged on the stream at ${perSecond}/s`, ms, {
          p50: [charged.p50Ms, goal.charged[0]],
          p99: [charged.p99Ms, goal.charged[1]],
        }),
        atMost(`processor time of a song at ${perSecond}/s`, ms, {
          process: [aSong('processMs'), goal.processor[0]],
          PostgreSQL: [aSong('postgresMs'), goal.processor[1]],
        }),
      )
    }
    return rows
  },
}

/** Waits until every mail is sent. */
async function mailed({ db }: BenchProduct): Promise<void> {
  const waiting = "select 1 from notifier.message where state in ('pending', 'sending') limit 1"
  while ((await db.query(waiting)).rowCount === 1) await delay(500)
}

interface Usage {
  readonly processMs: number
  /** Of all its processes. */
  readonly postgresMs: number
}

/** What `work` uses, begun when no mail waits. */
async function usageOf<T>(
  product: BenchProduct,
  work: () => Promise<T>,
): Promise<{ used: Usage; result: T }> {
  const { db, process } = product
  await mailed(product)
  const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postgres = await parentOf(rows[0]!.pid)
  const times = () => Promise.all([processTimes(process.endpoints.pid), treeTimes(postgres)])
  const before = await times()
  const result = await work()
  const [processMs, postgresMs] = await times()
  return { used: { processMs: processMs - before[0], postgresMs: postgresMs - before[1] }, result }
}
