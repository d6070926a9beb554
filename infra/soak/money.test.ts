import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkInvariants } from '../invariants/check.ts'
import { startParts } from './parts.ts'
import { startProvider } from './provider.ts'
import { chooser, World } from './world.ts'

const STARTING_CENTS = 700

/** Something that happens. `which` names a song, a payment, a message or a place, as the act has it. */
interface Step {
  readonly act: keyof typeof ACTS
  readonly which: number
  readonly cents: number
  readonly flag: boolean
}

const LATER = ['settle', 'fail', 'expire', 'refund', 'fail-refund', 'dispute', 'reinstate', 'lose'] as const

/** What can happen, and how often it does among the others. */
const ACTS = {
  submit: [6, (world: World) => world.submit()],
  topUp: [5, (world: World, { cents }: Step) => world.topUp(cents)],
  pay: [6, (world: World, { which, flag }: Step) => world.happen(which, flag ? 'pay' : 'pay_later', 0)],
  later: [
    7,
    (world: World, { which, cents }: Step) =>
      world.happen(which, LATER[cents % LATER.length] ?? 'fail', cents),
  ],
  webhook: [
    10,
    (world: World, { which, flag, cents }: Step) => world.webhook(which, flag && cents % 3 === 0),
  ],
  operatorRefund: [2, (world: World, { which, cents }: Step) => world.operatorRefund(which, cents)],
  transfer: [
    2,
    (world: World, { which, cents }: Step) =>
      world.transfer(3_700_000 + cents, (['confirm', 'reject', 'record'] as const)[which % 3] ?? 'record'),
  ],
  adjust: [2, (world: World, { cents, flag }: Step) => world.adjust(flag ? cents : -cents)],
  fulfil: [3, (world: World, { which, flag }: Step) => world.fulfil(which, flag)],
  giveBack: [2, (world: World, { which }: Step) => world.giveBack(which)],
  deliver: [14, (world: World, { which, cents }: Step) => world.deliver(which, false, 1 + (cents % 4))],
  redeliver: [3, (world: World, { which, cents }: Step) => world.deliver(which, true, 1 + (cents % 2))],
  crash: [3, (world: World, { which, cents }: Step) => world.crash(which, 1 + (cents % 12))],
} as const

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(
    ...Object.entries(ACTS).map(([act, [weight]]) => ({
      weight,
      arbitrary: fc.constant(act as keyof typeof ACTS),
    })),
  ),
  which: fc.nat({ max: 999 }),
  cents: fc.oneof(fc.constantFrom(1000, 2500), fc.integer({ min: 50, max: 4000 })),
  flag: fc.boolean(),
})

const lives = fc.record({
  steps: fc.array(step, { minLength: 8, maxLength: 30, size: 'max' }),
  order: fc.nat(),
})

// `SOAK_SEED=… SOAK_MINUTES=…` live a failed run again, or many more (`make soak`)
const seed = Number(process.env['SOAK_SEED'] ?? Date.now() % 1_000_000_000)
const minutes = Number(process.env['SOAK_MINUTES'] ?? 0)
const runs = minutes > 0 ? { numRuns: 1e9, interruptAfterTimeLimit: minutes * 60_000 } : { numRuns: 200 }

test(
  `whatever happens in whatever order, payments, credits and songs agree with their model (seed ${seed})`,
  async () => {
    await using provider = await startProvider()
    await using parts = await startParts(provider.config, STARTING_CENTS)
    let lived = 0
    const property = fc.asyncProperty(lives, async ({ steps, order }) => {
      const world = new World(parts, provider, STARTING_CENTS)
      for (const one of steps) await ACTS[one.act][1](world, one)
      await world.settle(chooser(order))
      await world.agreeOnEverything()
      if (++lived % 50 === 0) await expectNoBreach(parts.adminUrl)
    })
    await fc.assert(property, { ...runs, seed, markInterruptAsFailure: false })
    await expectNoBreach(parts.adminUrl)
  },
  minutes * 60_000 + 600_000,
)

/** No audio is kept here. */
const APART = 'every ready song has its two objects on record'

async function expectNoBreach(adminUrl: string): Promise<void> {
  const findings = await checkInvariants(adminUrl)
  expect(findings.filter(({ name, breaches }) => breaches > 0 && name !== APART)).toEqual([])
}
