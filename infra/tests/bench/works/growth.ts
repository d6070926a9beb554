import { setTimeout as delay } from 'node:timers/promises'
import { runLoad } from '../load.ts'
import { type BenchProduct, startBenchProduct } from '../product.ts'
import { median, ms, type Row, type Work } from '../work.ts'
import { chargedRate, SUBMIT } from './submit.ts'

const MANY = 1_000_000
const LOAD = { connections: 8, seconds: 4 }
const ROUNDS = 3

/** Cost of the same calls before and after a million songs of other people; and the start with them. On a product of its own. */
export const growth: Work = {
  name: 'growth',
  run: async ({ baseline }) => {
    await using product = await startBenchProduct()
    const people = await product.people(LOAD.connections, 100_000)
    const callers = people.map(({ cookie }) => ({ cookie }))
    const baselineCallers = people.map(({ uid }) => ({ 'x-uid': uid }))
    await baseline.db.query(
      'insert into account select unnest($1::text[]), 1000000000000 on conflict do nothing',
      [people.map(({ uid }) => uid)],
    )
    // each figure is a ratio to the baseline of the same minute, against run-to-run variance
    const measure = async () => {
      const baselineRate = await runLoad({
        ...LOAD,
        url: baseline.url,
        callers: baselineCallers,
        calls: [{ ...SUBMIT, path: '/songs' }],
      })
      const submit = await chargedRate({ product }, () =>
        runLoad({ ...LOAD, url: product.url, callers, calls: [SUBMIT] }),
      )
      const list = await runLoad({
        ...LOAD,
        url: product.url,
        callers,
        calls: [{ method: 'GET', path: '/api/songs' }],
      })
      return {
        submit: submit.perSecond / baselineRate.perSecond,
        list: list.perSecond / baselineRate.perSecond,
      }
    }
    const rounds = async () => {
      const all: Awaited<ReturnType<typeof measure>>[] = []
      for (let i = 0; i < ROUNDS; i++) all.push(await measure())
      return (work: 'submit' | 'list') => median(all.map((one) => one[work]))
    }
    await measure() // warm, and with more than a thousand songs
    const few = await rounds()
    await seed(product, MANY)
    const many = await rounds()
    const rows = (['submit', 'list'] as const).map((work): Row => {
      const cost = few(work) / many(work)
      return {
        work: `${work === 'submit' ? 'submit and charge' : work} with 10⁶ songs, cost beside few`,
        product: `${cost.toFixed(2)} ×`,
        goal: '≤ 1.1 ×',
        met: cost <= 1.1,
      }
    })
    await product.process.stop()
    const started = performance.now()
    await product.process.start()
    const took = performance.now() - started
    await delay(1_000)
    product.process.checkInvariants()
    return [...rows, { work: 'start with 10⁶ songs', product: ms(took), goal: '≤ 5 s', met: took <= 5_000 }]
  },
}

/** Songs that wait for credits, of people who never signed in. They satisfy every rule of `check-invariants`. */
async function seed({ db }: BenchProduct, count: number): Promise<void> {
  await db.query(
    `insert into songs.song (id, uid, username, email, lyrics, style, charge, revision, created_at)
     select uuidv7(interval '-1 day'), 'seed-' || i % 50000, 'Seed', 'seed@prelude.test', repeat('la ', 60), 'style ' || i,
       'declined', 2, extract(epoch from now())::bigint * 1000 - 86400000 + i from generate_series(1, $1::int) i`,
    [count],
  )
  await db.query(
    `insert into credits.account (uid) select 'seed-' || i from generate_series(0, 49999) i on conflict do nothing`,
  )
  await db.query(
    `insert into credits.waiting_song (song_id, uid, requested_at)
     select id, uid, now() from songs.song where starts_with(uid, 'seed-')`,
  )
  await db.query('vacuum analyze songs.song')
  await db.query('vacuum analyze credits.waiting_song')
  await db.query('checkpoint') // a million songs leave a gigabyte to write, which would happen during the benchmark
}
