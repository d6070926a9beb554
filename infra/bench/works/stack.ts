import { runLoad } from '../load.ts'
import { type Ours, startOurs } from '../product.ts'
import { runWatch } from '../watch.ts'
import { median, ms, perSecond, type Row, type Work } from '../work.ts'
import { SUBMIT } from './submit.ts'

const INSTANCES = [1, 2, 4]
const PEOPLE = 32
const CREDITS = 100_000
const LOAD = { connections: PEOPLE, seconds: 8 }
/** In the first a dozen processes that have just started compile what they run. */
const LATENCY_ROUNDS = 3

/** Every part as a process of its own on real servers, all of them on this machine; more instances share its processors. */
export const stack: Work = {
  name: 'stack',
  run: async () => {
    const rows: Row[] = []
    for (const instances of INSTANCES) {
      await using ours = await startOurs({ PRODUCT: 'stack', STACK_INSTANCES: String(instances) })
      if (instances === INSTANCES[0]) rows.push(await latency(ours))
      rows.push(await throughput(ours, instances))
      ours.product.checkInvariants()
    }
    return rows
  },
}

async function latency(ours: Ours): Promise<Row> {
  const cookies = (await ours.people(10, CREDITS)).map(({ cookie }) => cookie)
  const rounds = []
  for (let round = 0; round < LATENCY_ROUNDS; round++)
    rounds.push(
      await runWatch({ url: ours.url, watchers: cookies, callers: cookies, submits: 200, perSecond: 20 }),
    )
  const p50Ms = median(rounds.map(({ charged }) => charged.p50Ms))
  return {
    work: 'stack: submit → charged on the stream, 20/s',
    ours: `p50 ${ms(p50Ms)}, p99 ${ms(median(rounds.map(({ charged }) => charged.p99Ms)))}`,
    goal: 'p50 ≤ 40 ms',
    met: p50Ms <= 40,
  }
}

/** Accepted a second, and a second from the first request until the last is charged. */
async function throughput(ours: Ours, instances: number): Promise<Row> {
  const people = await ours.people(PEOPLE, CREDITS)
  const credits = async (): Promise<number> => {
    const left = people.map(async (person) => (await person.get<{ credits: number }>('/api/me')).body.credits)
    return (await Promise.all(left)).reduce((sum, one) => sum + one, 0)
  }
  const before = await credits()
  const began = performance.now()
  const result = await runLoad({
    ...LOAD,
    url: ours.url,
    callers: people.map(({ cookie }) => ({ cookie })),
    calls: [SUBMIT],
  })
  while (before - (await credits()) < result.requests * 10)
    await new Promise((resolve) => setTimeout(resolve, 200))
  const charged = (result.requests * 1_000) / (performance.now() - began)
  return {
    work: `stack: submit, ${instances} of each part`,
    ours: `${perSecond(result.perSecond)} accepted, ${perSecond(charged)} charged, p99 ${ms(result.p99Ms)}`,
    goal: 'said',
    met: true,
  }
}
