import { startDistributed } from '../../distributed/start.ts'
import { runLoad } from '../load.ts'
import { benchProduct, WITHOUT_LIMITS } from '../product.ts'
import { runWatch } from '../watch.ts'
import { atMost, median, ms, perSecond, type Work } from '../work.ts'
import { chargedRate, SUBMIT } from './submit.ts'

const PEOPLE = 32
const CREDITS = 100_000
const LOAD = { connections: PEOPLE, seconds: 8 }
/** In the first round a dozen new processes still compile their code. */
const LATENCY_ROUNDS = 3

/** One process of each service on Kafka, Redis and the other real servers, all on this machine. */
export const distributed: Work = {
  name: 'distributed',
  run: async () => {
    await using running = await startDistributed({ env: WITHOUT_LIMITS })
    await using product = await benchProduct(running.product, running.servers.env.DATABASE_ADMIN_URL)
    const cookies = (await product.people(PEOPLE, CREDITS)).map(({ cookie }) => cookie)
    const watch = { url: product.url, watchers: cookies, callers: cookies, submits: 200, perSecond: 20 }
    const rounds = []
    while (rounds.length < LATENCY_ROUNDS) rounds.push((await runWatch(watch)).charged)
    const load = {
      ...LOAD,
      url: product.url,
      callers: cookies.map((cookie) => ({ cookie })),
      calls: [SUBMIT],
    }
    const charged = await chargedRate({ product }, () => runLoad(load))
    product.process.checkInvariants()
    return [
      atMost('one of each service: submit → charged on the stream at 20/s', ms, {
        p50: [median(rounds.map(({ p50Ms }) => p50Ms)), 30],
        p99: [median(rounds.map(({ p99Ms }) => p99Ms)), 120],
      }),
      {
        work: 'one of each service: submit, accepted and charged',
        product: perSecond(charged.perSecond),
        goal: '≥ 450/s',
        met: charged.perSecond >= 450,
      },
    ]
  },
}
