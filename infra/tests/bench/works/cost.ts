import { setTimeout as delay } from 'node:timers/promises'
import type { Person } from '../../support/person.ts'
import { parentOf, processTimes, treeTimes } from '../process.ts'
import { type BenchProduct, startBenchProduct } from '../product.ts'
import { runWatch } from '../watch.ts'
import { atMost, median, ms, type Row, type Work } from '../work.ts'

const PEOPLE = 32
const CREDITS = 10_000
const SECONDS = 20
const COUNTED = 50
const COUNT_ROUND_TRIPS = new URL('../count-round-trips.ts', import.meta.url).href
/** PostgreSQL adds the transactions of an idle connection to its statistics after ten seconds. */
const COUNTED_AFTER_MS = 11_000
const RATES = [
  { perSecond: 20, answer: [5, 10], charged: [11, 25], processor: [6, 3], counts: [25, 12] },
  { perSecond: 200, answer: [8, 25], charged: [20, 60], processor: [2.1, 1.4], counts: [null, null] },
] as const

/**
 * What a song costs, and how long a person waits, at steady rates: 32 people, each with one live stream. On a product of its
 * own, so that the operator's mails of earlier songs are sent before each rate begins.
 */
export const cost: Work = {
  name: 'cost',
  run: async () => {
    await using product = await startBenchProduct({ NODE_OPTIONS: `--import=${COUNT_ROUND_TRIPS}` })
    await countStatements(product)
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
    const rows: Row[] = [await roundTrips(product, people[0]!)]
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
        atMost(`of a song at ${perSecond}/s`, (count) => count.toFixed(1), {
          statements: [aSong('statements'), goal.counts[0]],
          transactions: [aSong('transactions'), goal.counts[1]],
        }),
      )
    }
    return rows
  },
}

/** Of requests one after the other; those to which the services' own work adds some are few. */
async function roundTrips({ process }: BenchProduct, person: Person): Promise<Row> {
  const headers = { 'x-count': '' }
  for (let n = 0; n < COUNTED; n++) {
    await person.post('/api/songs', { lyrics: 'la', style: 'soul' }, headers)
    await delay(200)
  }
  const counts = [...process.output().matchAll(/^round trips: (\d+)$/gm)].map(([, count]) => Number(count))
  return atMost('submit → answer, round trips to PostgreSQL one after the other', String, {
    '': [median(counts), null],
  })
}

/** Restarts the product with PostgreSQL's module that counts statements. */
async function countStatements({ db, process }: BenchProduct): Promise<void> {
  await db.query("alter system set shared_preload_libraries = 'pg_stat_statements'")
  await process.stop()
  await process.start()
  await db.query('create extension pg_stat_statements')
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
  readonly statements: number
  readonly transactions: number
}

/** What `work` uses, begun when no mail waits. The counts include those of the time until PostgreSQL has them all. */
async function usageOf<T>(
  product: BenchProduct,
  work: () => Promise<T>,
): Promise<{ used: Usage; result: T }> {
  const { db, process } = product
  await mailed(product)
  const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid')
  const postgres = await parentOf(rows[0]!.pid)
  const times = () => Promise.all([processTimes(process.endpoints.pid), treeTimes(postgres)])
  const [timesBefore, countsBefore] = [await times(), await countsOf(db)]
  const result = await work()
  const [processMs, postgresMs] = await times()
  await delay(COUNTED_AFTER_MS)
  const { statements, transactions } = await countsOf(db)
  const used = {
    processMs: processMs - timesBefore[0],
    postgresMs: postgresMs - timesBefore[1],
    statements: statements - countsBefore.statements,
    transactions: transactions - countsBefore.transactions,
  }
  return { used, result }
}

async function countsOf(db: BenchProduct['db']): Promise<Pick<Usage, 'statements' | 'transactions'>> {
  const { rows } = await db.query<{ statements: number; transactions: number }>(
    `select (select sum(calls)::int from pg_stat_statements) as statements,
       (select sum(xact_commit + xact_rollback)::int from pg_stat_database) as transactions`,
  )
  return rows[0]!
}
