import fc from 'fast-check'
import { chooser } from '@prelude/platform/testing'
import { expect, inject } from 'vitest'
import { checkInvariants } from '../../invariants/check.ts'
import { Life, RARE } from './life.ts'
import { SONG_ACTS, type SongAct } from './model.ts'
import type { Act } from './world.ts'
import { LANES, MEMBERS, NEW_LOGS, startServices } from './services.ts'

const STARTING_CENTS = 700

/** Something that happens. `which` names a person, a song, a payment, a message or a place, `how` a way, as the act has it. */
interface Step {
  readonly act: keyof typeof ACTS
  readonly which: number
  readonly how: number
  readonly cents: number
  /** A service that loses its process at this step from here on. */
  readonly crash: { readonly service: number; readonly n: number } | null
}

/** What happens at a provider after somebody has opened a checkout; as often as it is named. */
const LATER = [
  ...['pay', 'pay', 'pay', 'pay_later', 'settle', 'fail', 'expire'],
  ...['refund', 'refund', 'fail-refund', 'dispute', 'dispute', 'reinstate', 'lose'],
]
const SETTLED = ['confirm', 'reject', 'record'] as const
const SONG_NAMES = Object.keys(SONG_ACTS) as SongAct[]
const HOURS = [-18, -1, 0, 1, 18]

type Begin = (life: Life, how: number) => Promise<void>
type Does = (life: Life, step: Step) => Promise<void> | void

const onSong =
  (act: SongAct): Does =>
  async (life, { which, how }) => {
    const id = life.song(which)
    if (id !== undefined) await life.world.atOnce([life.songAct(act, id, how % 2 === 0)])
  }

/** Two to four of: acts on one song, events that reach a service, time. */
async function atOnce(life: Life, id: string | undefined, how: number): Promise<void> {
  await life.delivery.pull()
  const choose = chooser(Math.imul(how, 2_654_435_761))
  const acts = new Map<string | undefined, Act | null>()
  for (let left = 2 + choose(3); left > 0; left--) {
    const kind = choose(7)
    const lane = kind < 3 ? oneOf(LANES, choose(99)) : null
    const name = kind === 0 ? 'time' : (lane?.name ?? oneOf(SONG_NAMES, choose(99)))
    if (acts.has(name)) continue
    if (kind === 0) acts.set(name, life.until(id))
    else if (lane) acts.set(name, life.delivery.act(lane, 1 + choose(4)))
    else if (id !== undefined) acts.set(name, life.songAct(name as SongAct, id, choose(2) === 0))
  }
  await life.together(id ?? '', [...acts.values()], choose(512))
}

/** What can happen, and how often it does among the others. */
const ACTS: Readonly<Record<string, readonly [weight: number, Does]>> = {
  submit: [6, (life, { which }) => life.submit(which)],
  topUp: [4, (life, { which, cents }) => life.money.topUp(life.uid(which), cents)],
  later: [12, (life, { which, how, cents }) => life.money.happen(which, oneOf(LATER, how), cents)],
  webhook: [8, (life, { which, how }) => life.money.webhook(which, how % 4 === 0)],
  operatorRefund: [
    3,
    (life, { which, how, cents }) => {
      // half of them lose the process around the provider's answer
      if (how % 2 === 0) life.world.services.crashAt('payments', 6 + (how % 5))
      return life.money.refund(which, cents)
    },
  ],
  transfer: [
    2,
    (life, { which, how, cents }) =>
      life.money.transfer(life.uid(which), 3_700_000 + cents, oneOf(SETTLED, how)),
  ],
  adjust: [3, (life, { which, how, cents }) => life.money.adjust(life.uid(which), how % 3 ? cents : -cents)],
  ...Object.fromEntries(SONG_NAMES.map((name) => [name, [name === 'accept' ? 1 : 2, onSong(name)] as const])),
  atOnce: [6, (life, { which, how }) => atOnce(life, life.song(which), how)],
  draft: [3, (life, { which }) => life.draft(life.song(which))],
  pass: [3, (life, { how }) => life.pass(oneOf([1, 7, 25, 73], how), how % 3 !== 0)],
  jump: [2, (life, { which, how }) => life.jump(oneOf(MEMBERS, which), oneOf(HOURS, how))],
  hole: [1, (life, { which, how }) => life.hole(which % 600, how % 9)],
  closeAccount: [1, (life, { which }) => life.closeAccount(which)],
  deliver: [14, async (life, { which, how }) => void (await life.delivery.any(which, 1 + (how % 4)))],
  redeliver: [3, async (life, { which, how }) => void (await life.delivery.any(which, 1 + (how % 2), how))],
}

const oneOf = <T>(ways: readonly T[], how: number): T => ways[how % ways.length] as T

/** A song of the first person that is charged; `isReady`: and delivered. */
async function chargedSong(life: Life, isReady = false): Promise<string> {
  await life.money.adjust(life.uid(0), 1000)
  await life.submit(0)
  await life.delivery.all('songs → credits', 'credits → songs')
  const id = [...life.world.model.songs.keys()].at(-1) ?? ''
  if (isReady) await life.world.atOnce([life.songAct('fulfil', id)])
  return id
}

/** How a life begins, so that some life reaches each rare state whatever the seed. `pace`: see World.atOnce. */
const BEGINNINGS: Readonly<Record<string, Begin>> = {
  [RARE.late]: async (life, how) => {
    const id = await chargedSong(life)
    if (how % 2 === 0) await life.world.atOnce([life.songAct('start', id)])
    await life.together(id, [life.songAct('cancel', id), life.until(id)], how % 4)
  },
  [RARE.window]: async (life, how) => {
    const id = await chargedSong(life, true)
    await life.together(id, [life.songAct('askChanges', id), life.until(id)], how % 4)
  },
  [RARE.refund]: async (life, how) => {
    const id = await chargedSong(life)
    const acts = [life.songAct('giveBack', id), life.songAct('fulfil', id, how % 2 === 0)]
    await life.together(id, how % 3 === 0 ? acts.toReversed() : acts, how % 4)
  },
  [RARE.closing]: async (life, how) => {
    await life.money.adjust(life.uid(0), 1000)
    await life.submit(0)
    await life.closeAccount(0)
    await life.delivery.pull()
    const [closing, charge] = [['gateway', 'credits'] as const, ['songs', 'credits'] as const].map(
      ([from, to]) => {
        const lane = LANES.find((one) => one.from === from && one.to === to)
        return lane ? life.delivery.act(lane, 2) : null
      },
    )
    await life.together(
      life.song(0) ?? '',
      how % 2 ? [closing ?? null, charge ?? null] : [charge ?? null, closing ?? null],
      how % 4,
    )
  },
  [RARE.hole]: async (life, how) => {
    for (const n of [0, 1, 2, 3, 4, 5, 6, 7, 8]) await life.hole(250 + (how % 350), n)
  },
  'acts on one song at once': async (life, how) => {
    for (const i of [0, 1, 2]) {
      const id = await chargedSong(life, i === 1)
      await life.money.transfer(life.uid(0), 3_700_000, 'record')
      if (i === 2) await life.closeAccount(0)
      await atOnce(life, id, 3 * how + i)
    }
  },
  'payments that come late, fail or go back': async (life) => {
    const { money } = life
    const payments = [
      ['pay_later', 'fail'],
      ['pay_later', 'settle'],
      ['pay', 'refund', 'fail-refund'],
      ['pay', 'refund'],
    ]
    for (const [i, acts] of payments.entries()) {
      await money.topUp(life.uid(0), 1000)
      for (const act of acts) {
        await money.happen(i, act, 1000)
        // a payment that is not settled yet is received; of the others the newest comes first
        if (act === 'pay_later') for (const message of money.unsent) await money.webhook(message, false)
      }
      for (const message of money.unsent.toReversed()) await money.webhook(message, false)
    }
  },
  'each act once': async (life, how) => {
    for (const [act, [, does]] of Object.entries(ACTS))
      await does(life, { act, which: how, how, cents: 1000, crash: null })
  },
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(...Object.entries(ACTS).map(([act, [weight]]) => ({ weight, arbitrary: fc.constant(act) }))),
  which: fc.nat({ max: 999 }),
  how: fc.nat({ max: 999 }),
  cents: fc.oneof(fc.constantFrom(1000, 2500), fc.integer({ min: 50, max: 4000 })),
  crash: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ service: fc.nat({ max: 4 }), n: fc.integer({ min: 1, max: 14 }) }) },
  ),
})

const livesOf = (maxLength: number) =>
  fc.record({
    beginning: fc.nat({ max: 999 }),
    steps: fc.array(step, { maxLength, size: 'max' }),
    /** No webhook comes before the end. */
    held: fc.boolean(),
    order: fc.nat(),
  })

type LifeOf = ReturnType<typeof livesOf> extends fc.Arbitrary<infer T> ? T : never

const LIVES_OF_A_KIND = 5
/** The most steps of a life: in the first round, the only one of the gate, and in later ones. */
const [SHORT, LONG] = [20, 40]

/**
 * Lives random lives on real services, some of each beginning, and checks each against its model; for `limitMs` with more and more
 * seeds, and then also searches for the shortest life that fails.
 * Errors: the first life that disagrees, with what happened in it; a rare state that no life reached.
 */
export async function liveAll(limitMs: number | null = null): Promise<number> {
  let services = await startServices(STARTING_CENTS)
  let logs = NEW_LOGS
  const reached = new Map<string, number>()
  let lived = 0
  const live = async (begin: Begin, { beginning, steps, held, order }: LifeOf): Promise<void> => {
    const life = new Life(services, STARTING_CENTS, logs)
    const choose = chooser(order)
    try {
      await begin(life, beginning)
      for (const one of steps.filter(({ act }) => !held || act !== 'webhook')) {
        if (one.crash) services.crashAt(oneOf(MEMBERS, one.crash.service), one.crash.n)
        await ACTS[one.act]?.[1](life, one)
      }
      await life.settle(choose)
      await life.agreeOnEverything()
      logs = await life.end(choose)
      await expectNoBreach(services.adminUrl, services.clock.now())
    } catch (error) {
      // what it left behind belongs to no other life
      await services[Symbol.asyncDispose]()
      services = await startServices(STARTING_CENTS)
      logs = NEW_LOGS
      throw failure(life, error as Error)
    }
    lived++
    for (const state of life.world.reached) reached.set(state, (reached.get(state) ?? 0) + 1)
  }
  const deadline = performance.now() + (limitMs ?? 0)
  try {
    let round = 0
    do {
      for (const begin of Object.values(BEGINNINGS))
        await fc.assert(
          fc.asyncProperty(livesOf(round === 0 ? SHORT : LONG), (life) => live(begin, life)),
          {
            ...{ seed: inject('seed') + round, numRuns: LIVES_OF_A_KIND },
            ...(limitMs === null
              ? { endOnFailure: true }
              : { interruptAfterTimeLimit: limitMs, markInterruptAsFailure: false }),
          },
        )
      round++
    } while (performance.now() < deadline)
  } finally {
    await services[Symbol.asyncDispose]()
  }
  const table = Object.values(RARE).map((state) => `  ${state}: ${reached.get(state) ?? 0}`)
  process.stderr.write(`${lived} random lives, and how many reached\n${table.join('\n')}\n`)
  expect([...reached.keys()].toSorted()).toEqual(Object.values(RARE).toSorted())
  return lived
}

/** With the life that led to it, whose ids are numbered in the order in which they appear. */
function failure({ world: { story, reached } }: Life, error: Error): Error {
  const lines = [error.message, ...[...reached].map((state) => `reached: ${state}`), 'its life:', ...story]
  const ids = new Map<string, string>()
  const numbered = lines.join('\n  ').replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, (id) => {
    if (!ids.has(id)) ids.set(id, `#${ids.size + 1}`)
    return ids.get(id) ?? id
  })
  return new Error(numbered, { cause: error })
}

async function expectNoBreach(adminUrl: string, now: number): Promise<void> {
  const findings = await checkInvariants(adminUrl, now)
  expect(
    findings.flatMap(({ name, breaches, sample }) =>
      breaches > 0 ? [`${name}: ${JSON.stringify(sample)}`] : [],
    ),
  ).toEqual([])
}
