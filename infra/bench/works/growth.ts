import { setTimeout as delay } from 'node:timers/promises'
import { runLoad } from '../load.ts'
import type { Ours } from '../product.ts'
import { median, ms, type Row, type Work } from '../work.ts'
import { drained, SUBMIT } from './submit.ts'

const MANY = 1_000_000
const LOAD = { connections: 8, seconds: 4 }
const ROUNDS = 3

/** The same calls before and after a million songs of other people came; and how long a start takes with them. */
export const growth: Work = {
  name: 'growth',
  run: async (bench) => {
    const { ours, bare } = bench
    const people = await ours.people(LOAD.connections, 100_000)
    const callers = people.map(({ cookie }) => ({ cookie }))
    const floor = people.map(({ uid }) => ({ 'x-uid': uid }))
    await bare.db.query('insert into account select unnest($1::text[]), 1000000000000', [
      people.map(({ uid }) => uid),
    ])
    // each figure is a ratio to the floor of the same minute, so that two minutes can be compared
    const measure = async () => {
      const bareRate = await runLoad({
        ...LOAD,
        url: bare.url,
        callers: floor,
        calls: [{ ...SUBMIT, path: '/songs' }],
      })
      const submit = await runLoad({ ...LOAD, url: ours.url, callers, calls: [SUBMIT] })
      const started = performance.now()
      await drained(bench)
      const drain = performance.now() - started
      const list = await runLoad({
        ...LOAD,
        url: ours.url,
        callers,
        calls: [{ method: 'GET', path: '/api/songs' }],
      })
      return {
        submit: submit.perSecond / bareRate.perSecond,
        list: list.perSecond / bareRate.perSecond,
        charge: submit.requests / (LOAD.seconds * 1_000 + drain) / bareRate.perSecond,
      }
    }
    const rounds = async () => {
      const all: Awaited<ReturnType<typeof measure>>[] = []
      for (let i = 0; i < ROUNDS; i++) all.push(await measure())
      return (work: 'submit' | 'list' | 'charge') => median(all.map((one) => one[work]))
    }
    await measure() // warm, and with more than a thousand songs
    const few = await rounds()
    await seed(ours, MANY)
    const many = await rounds()
    const rows = (['submit', 'list', 'charge'] as const).map((work): Row => {
      const cost = few(work) / many(work)
      return {
        work: `${work} with 10⁶ songs, cost beside few`,
        ours: `${cost.toFixed(2)} ×`,
        goal: '≤ 1.1 ×',
        met: cost <= 1.1,
      }
    })
    await ours.product.stop()
    const started = performance.now()
    await ours.product.start()
    const took = performance.now() - started
    await delay(1_000)
    return [...rows, { work: 'start with 10⁶ songs', ours: ms(took), goal: '≤ 5 s', met: took <= 5_000 }]
  },
}

/** Songs that wait for credits, of people who never signed in: every rule that `check-invariants` knows holds for them. */
async function seed({ db }: Ours, count: number): Promise<void> {
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
  await db.query('checkpoint') // a million songs that come at once have left a gigabyte to write
}
