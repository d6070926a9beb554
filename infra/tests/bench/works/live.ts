import { runWatch } from '../watch.ts'
import { atMost, median, ms, type Row, type Work } from '../work.ts'
import { drained } from './submit.ts'

const PEOPLE = 100
const STREAMS_EACH = 10
const BURSTS = 3

/** Live updates while 1,000 streams are open: at a quiet rate, and in bursts of 100 songs at once. */
export const live: Work = {
  name: 'live',
  run: async (bench) => {
    const { product } = bench
    const people = await product.people(PEOPLE, 2_000)
    const [target] = await product.people(1, 10_000)
    if (!target) throw new Error('nobody signed in')
    const cookies = people.map(({ cookie }) => cookie)
    const streams = cookies.flatMap((cookie) => Array<string>(STREAMS_EACH).fill(cookie))
    const alone = {
      url: product.url,
      watchers: [target.cookie],
      callers: [target.cookie],
      submits: 200,
      perSecond: 20,
    }

    const quiet = await runWatch(alone)
    const beside = await runWatch({ ...alone, watchers: [target.cookie, ...streams] })
    await drained(bench)
    const bursts = []
    for (let round = 0; round < BURSTS; round++) {
      const atOnce = { submits: PEOPLE, perSecond: Number.MAX_SAFE_INTEGER }
      bursts.push(await runWatch({ url: product.url, watchers: streams, callers: cookies, ...atOnce }))
      await drained(bench)
    }
    const last = median(bursts.map(({ lastAfterAnswersMs }) => lastAfterAnswersMs))
    const inOrder = bursts.every((burst) => burst.inOrder)
    return [
      atMost('live, 1,000 streams, one target: sent → on its stream', ms, {
        p50: [beside.seen.p50Ms, 5],
        p99: [beside.seen.p99Ms, 15],
      }),
      {
        work: 'submit → answer beside 1,000 streams, and beside one',
        product: `p50 ${ms(beside.answer.p50Ms)}, beside one ${ms(quiet.answer.p50Ms)}`,
        goal: '≤ 1.5 × of that beside one',
        met: beside.answer.p50Ms <= quiet.answer.p50Ms * 1.5,
      },
      {
        work: `fan-out: ${PEOPLE} songs at once to 1,000 streams, last answer → last event`,
        product: `${ms(last)}, ${inOrder ? 'in order' : 'out of order'}`,
        goal: '≤ 60 ms, in order',
        met: last <= 60 && inOrder,
      },
    ] satisfies Row[]
  },
}
