import { setTimeout as delay } from 'node:timers/promises'
import type { Song } from '@prelude/contracts'
import type { Person } from '../../support/person.ts'
import { type BenchProduct, startBenchProduct, untilDecided } from '../product.ts'
import { audioHead } from '../transfer.ts'
import { atMost, besideBaseline, ms, type Row, type Work } from '../work.ts'
import { submitsInTurn } from './submit.ts'

const SECONDS = 5
const CALLERS = 4
const STALLS_MS = 20_000
const WATCH_STALLS = new URL('../watch-stalls.ts', import.meta.url).href
/** Two letters of one script, two of another: each pair is shaped alone. */
const WORST_TITLE = 'abبب'.repeat(25)

/**
 * Songs of one person on 32 connections, accepted and charged: every request locks the same account. Then how long the event loop
 * stands still while people print and export without end.
 */
export const hotUser: Work = {
  name: 'hot-user',
  run: async (bench) => {
    const measured = await submitsInTurn(bench, await bench.product.people(1, 500_000), SECONDS)
    return [
      besideBaseline('submit, accepted and charged, one hot user', measured, 0.9),
      await stallsBesidePrints(),
    ]
  },
}

/** On a product of its own, which prints its stalls. Each person has two calls under way, as many as one may have. */
async function stallsBesidePrints(): Promise<Row> {
  await using product = await startBenchProduct({ NODE_OPTIONS: `--import=${WATCH_STALLS}` })
  const people = await product.people(CALLERS, 0)
  const songs: { person: Person; id: string }[] = []
  for (const person of people) songs.push({ person, id: await deliveredGift(product, person) })
  const print = (): Promise<unknown> =>
    Promise.all(songs.map(({ person, id }) => printFor(person, id, Date.now() + STALLS_MS)))
  await print() // the process compiles
  const alone = await longestStall(product, () => delay(STALLS_MS))
  const beside = await longestStall(product, print)
  return atMost(`${CALLERS} people print and export without end: longest stall`, ms, {
    'processor time': [beside.processorMs, 50],
    'by the clock': [beside.clockMs, null],
    'without them': [alone.clockMs, null],
  })
}

async function deliveredGift({ operator }: BenchProduct, person: Person): Promise<string> {
  const { body } = await person.post<Song>('/api/songs', { lyrics: 'la', style: 'soul' })
  await untilDecided(person)
  const short = Buffer.concat([audioHead(400_044), Buffer.alloc(400_000, 0x55)])
  const form = new FormData()
  for (const n of [1, 2]) form.set(`version${n}`, new Blob([short]), `take ${n}.wav`)
  const { status } = await operator.send('POST', `/api/operator/songs/${body.id}/fulfil?gift=true`, form)
  if (status !== 200) throw new Error(`${status} for a delivery`)
  return body.id
}

/** With another title each time, since what was drawn is kept. */
async function printFor(person: Person, songId: string, until: number): Promise<void> {
  for (let n = 0; Date.now() < until; n++) {
    await person.send('PATCH', `/api/songs/${songId}`, { title: `${n} ${WORST_TITLE}` })
    const paths = [`/api/songs/${songId}/certificate.pdf`, '/api/account/export']
    for (const { status } of await Promise.all(paths.map((path) => person.get(path))))
      if (status !== 200) throw new Error(`${status} for a page or an archive`)
  }
}

interface Stall {
  readonly clockMs: number
  readonly processorMs: number
}

async function longestStall({ process }: BenchProduct, work: () => Promise<unknown>): Promise<Stall> {
  const { length } = process.output()
  await work()
  const printed = process
    .output()
    .slice(length)
    .matchAll(/^longest stall: (.*)$/gm)
  const stalls = Array.from(printed, ([, stall = '']) => JSON.parse(stall) as Stall)
  return {
    clockMs: Math.max(...stalls.map(({ clockMs }) => clockMs)),
    processorMs: Math.max(...stalls.map(({ processorMs }) => processorMs)),
  }
}
