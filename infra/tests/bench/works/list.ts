import { runLoad } from '../load.ts'
import { startBenchProduct } from '../product.ts'
import { seedSongs } from '../seed.ts'
import { besideBaseline, inTurn, ROUNDS, type Work } from '../work.ts'

const CONNECTIONS = 32
const PAGE = 50
/** Of each person and round: 4,800 requests, about a second. */
const PAGES = 150
const SONGS = PAGE * PAGES * ROUNDS

/**
 * A first look at each page of 50 songs: the people page through their albums from the newest song to the oldest, and no
 * page is requested twice in the whole run, so that no cache of the process holds any of its songs. The baseline reads a
 * person's newest 50 songs from the database each time; it has no cache. On a product of its own, which keeps the seeded
 * songs out of the other benchmarks.
 */
export const list: Work = {
  name: 'list',
  run: async ({ baseline }) => {
    await using product = await startBenchProduct()
    const people = await product.people(CONNECTIONS, 0)
    const uids = people.map(({ uid }) => uid)
    const firstAt = Date.now() - 7_200_000
    await seedSongs(product, uids, { firstAt, count: SONGS })
    await baseline.db.query(
      `insert into song select gen_random_uuid(), uid, repeat('la ', 100), 'style ' || i, false, i
       from unnest($1::text[]) uid, generate_series(1, ${PAGE}) i`,
      [uids],
    )
    const load = { connections: CONNECTIONS, seconds: 0, requests: CONNECTIONS * PAGES }
    let looked = 0
    const nextPages = (): { method: 'GET'; path: string }[] =>
      Array.from({ length: PAGES }, () => ({
        method: 'GET',
        path: pageAfter(firstAt + SONGS - PAGE * looked++),
      }))
    const measured = await inTurn({
      baseline: () =>
        runLoad({
          ...load,
          url: baseline.url,
          callers: people.map(({ uid }) => ({ 'x-uid': uid })),
          calls: [{ method: 'GET', path: '/songs' }],
        }),
      product: () =>
        runLoad({
          ...load,
          url: product.url,
          callers: people.map(({ cookie }) => ({ cookie })),
          calls: nextPages(),
        }),
    })
    return [besideBaseline(`list of ${PAGE}, first look at each page`, measured, 0.5)]
  },
}

/** The page of the songs made before `at`: the API's cursor, the time and id of the last song before it. */
function pageAfter(at: number): string {
  const cursor = Buffer.from(JSON.stringify([at, '00000000-0000-0000-0000-000000000000'])).toString(
    'base64url',
  )
  return `/api/songs?cursor=${cursor}`
}
