import fc from 'fast-check'
import { chooser } from '@prelude/platform/testing'
import { expect, inject } from 'vitest'
import { checkInvariants } from '../../invariants/check.ts'
import { SERVICES, startServices } from './services.ts'
import { startProvider } from './provider.ts'
import { World } from './world.ts'

const STARTING_CENTS = 700

/** Something that happens. `which` names a song, a payment, a message or a place, `how` a way, as the act has it. */
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

/** What can happen, and how often it does among the others. */
const ACTS = {
  submit: [6, (world: World) => world.submit()],
  topUp: [4, (world: World, { cents }: Step) => world.topUp(cents)],
  later: [14, (world: World, { which, how, cents }: Step) => world.happen(which, oneOf(LATER, how), cents)],
  webhook: [9, (world: World, { which, how }: Step) => world.webhook(which, how % 4 === 0)],
  operatorRefund: [
    3,
    (world: World, { which, how, cents }: Step) => {
      // half of them lose the process around the provider's answer
      if (how % 2 === 0) world.crash(SERVICES.indexOf('payments'), 6 + (how % 5))
      return world.operatorRefund(which, cents)
    },
  ],
  transfer: [
    2,
    (world: World, { how, cents }: Step) => world.transfer(3_700_000 + cents, oneOf(SETTLED, how)),
  ],
  adjust: [2, (world: World, { how, cents }: Step) => world.adjust(how % 2 === 0 ? cents : -cents)],
  fulfil: [3, (world: World, { which, how }: Step) => world.fulfil(which, how % 2 === 0)],
  start: [3, (world: World, { which, how }: Step) => world.start(which, how % 3 === 0)],
  release: [1, (world: World, { which }: Step) => world.release(which)],
  cancel: [2, (world: World, { which }: Step) => world.close(which, 'cancelled')],
  decline: [1, (world: World, { which }: Step) => world.close(which, 'declined')],
  passTime: [1, (world: World) => world.passTime()],
  askChanges: [2, (world: World, { which }: Step) => world.askChanges(which)],
  deliverChanges: [1, (world: World, { which }: Step) => world.deliverChanges(which)],
  accept: [1, (world: World, { which }: Step) => world.accept(which)],
  giveBack: [2, (world: World, { which, how }: Step) => world.giveBack(which, how % 2 === 0)],
  closeAccount: [1, (world: World) => world.closeAccount()],
  deliver: [14, (world: World, { which, how }: Step) => world.deliver(which, false, 1 + (how % 4))],
  redeliver: [3, (world: World, { which, how }: Step) => world.deliver(which, true, 1 + (how % 2))],
} as const

const oneOf = <T>(ways: readonly T[], how: number): T => ways[how % ways.length] as T

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(
    ...Object.entries(ACTS).map(([act, [weight]]) => ({
      weight,
      arbitrary: fc.constant(act as keyof typeof ACTS),
    })),
  ),
  which: fc.nat({ max: 999 }),
  how: fc.nat({ max: 999 }),
  cents: fc.oneof(fc.constantFrom(1000, 2500), fc.integer({ min: 50, max: 4000 })),
  crash: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ service: fc.nat({ max: 2 }), n: fc.integer({ min: 1, max: 14 }) }) },
  ),
})

const lives = fc.record({
  steps: fc.array(step, { minLength: 10, maxLength: 36, size: 'max' }),
  /** No webhook comes before the end. */
  held: fc.boolean(),
  order: fc.nat(),
})

/** On average; webhooks that are held until the end of a life do not count. */
const LEAST_STEPS_A_LIFE = 15

type Runs = Pick<fc.Parameters<unknown>, 'numRuns' | 'endOnFailure' | 'interruptAfterTimeLimit'>

/** Lives random lives on real services and checks each against its model. Errors: the first life that disagrees, with its steps. */
export async function liveAll(runs: Runs): Promise<{ lived: number }> {
  await using provider = await startProvider()
  await using services = await startServices(provider.config, STARTING_CENTS)
  let lived = 0
  let stepsLived = 0
  const actsLived = new Set<Step['act']>()
  const property = fc.asyncProperty(lives, async ({ steps, held, order }) => {
    const world = new World(services, provider, STARTING_CENTS)
    for (const one of steps.filter(({ act }) => !held || act !== 'webhook')) {
      if (one.crash) world.crash(one.crash.service, one.crash.n)
      await ACTS[one.act][1](world, one)
      stepsLived++
      actsLived.add(one.act)
    }
    await world.settle(chooser(order))
    await world.agreeOnEverything()
    if (++lived % 50 === 0) await expectNoBreach(services.adminUrl)
  })
  await fc.assert(property, { ...runs, seed: inject('seed'), markInterruptAsFailure: false })
  process.stderr.write(`${lived} random lives, ${stepsLived} steps\n`)
  expect(stepsLived).toBeGreaterThanOrEqual(LEAST_STEPS_A_LIFE * lived)
  expect([...actsLived].toSorted()).toEqual(Object.keys(ACTS).toSorted())
  await expectNoBreach(services.adminUrl)
  return { lived }
}

/** No audio is kept here, and a life delivers the events of its own person, not all of a log. */
const APART = /is an object of storage|agree which objects are takes|have taken each event up to them once/

async function expectNoBreach(adminUrl: string): Promise<void> {
  const findings = await checkInvariants(adminUrl, Date.now())
  expect(findings.filter(({ name, breaches }) => breaches > 0 && !APART.test(name))).toEqual([])
}
