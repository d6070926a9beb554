import { runWatch } from '../watch.ts'
import { median, ms, type Row, type Work } from '../work.ts'
import { drained } from './submit.ts'

const PEOPLE = 100
const STREAMS_EACH = 10
const BURSTS = 3

/** Live updates while 1,000 streams are open. */
export const live: Work = {
  name: 'live',
  run: async (bench) => {
    const { ours } = bench
    const people = await ours.people(PEOPLE, 2_000)
    const [target] = await ours.people(1, 10_000)
    if (!target) throw new Error('nobody signed in')
    const cookies = people.map(({ cookie }) => cookie)
    const crowd = cookies.flatMap((cookie) => Array<string>(STREAMS_EACH).fill(cookie))
    const alone = {
      url: ours.url,
      watchers: [target.cookie],
      callers: [target.cookie],
      submits: 200,
      perSecond: 20,
    }

    const quiet = await runWatch(alone)
    const crowded = await runWatch({ ...alone, watchers: [target.cookie, ...crowd] })
    await drained(bench)
    const bursts = []
    for (let round = 0; round < BURSTS; round++) {
      const atOnce = { submits: PEOPLE, perSecond: Number.MAX_SAFE_INTEGER }
      bursts.push(await runWatch({ url: ours.url, watchers: crowd, callers: cookies, ...atOnce }))
      await drained(bench)
    }
    const last = median(bursts.map(({ lastAfterAnswersMs }) => lastAfterAnswersMs))
    const inOrder = bursts.every((burst) => burst.inOrder)
    const busy = await runWatch({
      url: ours.url,
      watchers: cookies,
      callers: cookies,
      submits: 4_000,
      perSecond: 400,
    })
    await drained(bench)
    return [
      {
        work: 'live, 1,000 streams, one target: sent → on its stream',
        ours: `p50 ${ms(crowded.seen.p50Ms)}, p99 ${ms(crowded.seen.p99Ms)}`,
        goal: 'p50 ≤ 6 ms, p99 ≤ 20 ms',
        met: crowded.seen.p50Ms <= 6 && crowded.seen.p99Ms <= 20,
      },
      {
        work: 'the answer beside 1,000 streams, and beside one',
        ours: `p50 ${ms(crowded.answer.p50Ms)}, alone ${ms(quiet.answer.p50Ms)}`,
        goal: 'does not wait for watchers',
        met: crowded.answer.p50Ms <= quiet.answer.p50Ms * 1.5,
      },
      {
        work: `fan-out: ${PEOPLE} songs at once to 1,000 streams, last answer → last event`,
        ours: `${ms(last)}, ${inOrder ? 'in order' : 'out of order'}`,
        goal: '≤ 60 ms, in order',
        met: last <= 60 && inOrder,
      },
      {
        work: 'submit → charged on the stream at 400/s',
        ours: `p50 ${ms(busy.charged.p50Ms)}, p99 ${ms(busy.charged.p99Ms)}`,
        goal: 'p99 ≤ 100 ms',
        met: busy.charged.p99Ms <= 100,
      },
    ] satisfies Row[]
  },
}
