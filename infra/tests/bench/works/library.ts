import type { Person } from '../../support/person.ts'
import { startBenchProduct } from '../product.ts'
import { seedSongs } from '../seed.ts'
import { atMost, ms, percentile, type Row, type Work } from '../work.ts'

const SONGS = 5_000
const FEW = 5
const TIMES = 40
const GOAL_MS = 100
const QUERIES = {
  'newest first': '',
  'by title': 'sort=title',
  favourites: 'favourite=true',
  'a search that finds one': 'q=style%204321',
  'a search that finds nothing': 'q=nowhere',
  'a search among favourites by title': 'q=style&favourite=true&sort=title',
}

/** Pages of a library of thousands of songs, and the same for somebody who has few beside it. On a product of its own. */
export const library: Work = {
  name: 'library',
  run: async () => {
    await using product = await startBenchProduct()
    const [many, few] = await product.people(2, 0)
    const firstAt = Date.now() - 7_200_000
    await seedSongs(product, [many!.uid], { firstAt, count: SONGS })
    await seedSongs(product, [few!.uid], { firstAt, count: FEW })
    await product.db.query(
      `update songs.song set title = case when created_at % 10 = 0 then 'Title ' || created_at end,
                             favourite = created_at % 20 = 0`,
    )
    await product.db.query('vacuum analyze songs.song')
    const rows: Row[] = []
    for (const [what, query] of Object.entries(QUERIES)) {
      const [ofMany, ofFew] = [await slowest(many!, query), await slowest(few!, query)]
      const values = { p95: [ofMany, GOAL_MS], [`with ${FEW} songs`]: [ofFew, GOAL_MS] } as const
      rows.push(atMost(`library of ${SONGS.toLocaleString('en')} songs, ${what}`, ms, values))
    }
    return rows
  },
}

/** The 95th percentile of a number of requests, one after the other. */
async function slowest(person: Person, query: string): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const since = performance.now()
    const { status } = await person.get(`/api/songs?limit=50&${query}`)
    if (status !== 200) throw new Error(`${status} for ${query}`)
    times.push(performance.now() - since)
  }
  return percentile(times, 0.95)
}
