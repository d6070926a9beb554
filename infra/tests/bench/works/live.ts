import { runWatch } from '../watch.ts'
import { atMost, ms, type Work } from '../work.ts'

const PEOPLE = 100
const STREAMS_EACH = 10

/** Live updates of one person while 1,000 streams of others are open. */
export const live: Work = {
  name: 'live',
  run: async ({ product }) => {
    const people = await product.people(PEOPLE, 2_000)
    const [target] = await product.people(1, 10_000)
    if (!target) throw new Error('nobody signed in')
    const cookies = people.map(({ cookie }) => cookie)
    const streams = cookies.flatMap((cookie) => Array<string>(STREAMS_EACH).fill(cookie))
    const { seen } = await runWatch({
      url: product.url,
      watchers: [target.cookie, ...streams],
      callers: [target.cookie],
      submits: 200,
      perSecond: 20,
    })
    return [
      atMost('live, 1,000 streams, one target: sent → on its stream', ms, {
        p50: [seen.p50Ms, 5],
        p99: [seen.p99Ms, 15],
      }),
    ]
  },
}
