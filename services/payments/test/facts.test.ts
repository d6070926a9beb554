import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import {
  type DisputePhase,
  NO_FACTS,
  newsFor,
  type Observation,
  observe,
  standing,
  type Reported,
} from '../src/domain/facts.ts'

const sums = { amountCents: 2500, creditsCents: 2500 }

const observation: fc.Arbitrary<Observation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('paid', 'processing', 'failed', 'expired') }),
  fc.record({
    kind: fc.constant('refunded' as const),
    sum: fc.record({ cents: fc.integer({ min: 0, max: 3000 }), at: fc.nat({ max: 4 }) }),
  }),
  fc.record({
    kind: fc.constant('refund' as const),
    refundId: fc.constantFrom('re_1', 're_2'),
    refund: fc.record({
      amountCents: fc.integer({ min: 1, max: 2500 }),
      failedAt: fc.option(fc.nat({ max: 4 })),
    }),
  }),
  fc.record({
    kind: fc.constant('disputed' as const),
    disputeId: fc.constantFrom('dp_1', 'dp_2'),
    dispute: fc.record({
      phase: fc.constantFrom<DisputePhase>('inquiry', 'taken', 'lost', 'returned'),
      amountCents: fc.integer({ min: 1, max: 2500 }),
      at: fc.integer({ min: 0, max: 3 }),
    }),
  }),
)

/** The state of the ledger after these observations in this order. */
function apply(observations: readonly Observation[]) {
  let facts = NO_FACTS
  let reported: Reported = { succeeded: false, reversedCents: 0, reversalCount: 0 }
  let ledgerCents = 0
  for (const one of observations) {
    facts = observe(facts, one)
    const news = newsFor(reported, standing(facts, sums))
    ledgerCents += (news.succeeded ? sums.creditsCents : 0) - news.reversalCents
    expect(news.reported.succeeded || news.reversalCents === 0).toBe(true)
    reported = news.reported
    expect(ledgerCents).toBeGreaterThanOrEqual(0)
    expect(ledgerCents).toBeLessThanOrEqual(sums.creditsCents)
  }
  return { ...standing(facts, sums), ledgerCents, succeeded: reported.succeeded }
}

test('any messages in any order, any of them again, end in the same state and the same credits', () => {
  fc.assert(
    fc.property(
      fc
        .array(observation, { maxLength: 8 })
        .chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }), fc.subarray(all)),
        ),
      ([all, shuffled, again]) => {
        expect(apply([...shuffled, ...again])).toEqual(apply(all))
      },
    ),
    { numRuns: 500, seed: inject('seed') },
  )
})

test('refunded means the whole of it; a partial refund stays paid and takes its share', () => {
  const paid = observe(NO_FACTS, { kind: 'paid' })
  const refunded = (cents: number): Observation => ({ kind: 'refunded', sum: { cents, at: 1 } })
  expect(standing(observe(paid, refunded(999)), sums)).toEqual({
    status: 'paid',
    refundedCents: 999,
    reversedCents: 999,
  })
  expect(standing(observe(paid, refunded(2500)), sums)).toEqual({
    status: 'refunded',
    refundedCents: 2500,
    reversedCents: 2500,
  })
})

test('a lost dispute that is won on appeal gives the credits again', () => {
  const at = (phase: DisputePhase, time: number): Observation => ({
    kind: 'disputed',
    disputeId: 'dp_1',
    dispute: { phase, amountCents: 2500, at: time },
  })
  const lost = [{ kind: 'paid' } as const, at('taken', 1), at('lost', 2)].reduce(observe, NO_FACTS)
  expect(standing(lost, sums)).toMatchObject({ status: 'disputed', reversedCents: 2500 })
  expect(standing(observe(lost, at('returned', 3)), sums)).toMatchObject({ status: 'paid', reversedCents: 0 })
  expect(standing(observe(lost, at('taken', 9)), sums)).toMatchObject({ status: 'disputed' })
  // what is closed stays closed, though a clock says that something older is newer
  const won = [lost, at('returned', 3), at('taken', 9)] as const
  expect(standing(observe(observe(won[0], won[1]), won[2]), sums)).toMatchObject({ status: 'paid' })
})

/** What a provider reports of its refunds, each made and each failed in a second of its own. */
const refundHistory = fc.record({
  singles: fc.boolean(),
  refunds: fc.array(fc.record({ amountCents: fc.integer({ min: 1, max: 500 }), fails: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  }),
})

test('the refunded sum is that of refunds that did not fail, whether the provider states sums, single refunds or both', () => {
  fc.assert(
    fc.property(refundHistory, ({ refunds, singles }) => {
      const reported: Observation[] = [{ kind: 'paid' }]
      let sum = 0
      let at = 0
      for (const [n, { amountCents, fails }] of refunds.entries()) {
        at++
        sum += amountCents
        const refund = { amountCents, failedAt: null }
        if (singles) reported.push({ kind: 'refund', refundId: `re_${n}`, refund })
        reported.push({ kind: 'refunded', sum: { cents: sum, at } })
        if (!fails) continue
        sum -= amountCents
        reported.push({ kind: 'refund', refundId: `re_${n}`, refund: { ...refund, failedAt: ++at } })
      }
      const backwards = reported.toReversed()
      for (const all of [reported, backwards, [...reported, ...backwards]])
        expect(standing(all.reduce(observe, NO_FACTS), sums).refundedCents).toBe(sum)
      // the sums alone can be late, the single refunds never are
      const alone = reported.filter(({ kind }) => kind !== 'refunded')
      if (singles) expect(standing(alone.reduce(observe, NO_FACTS), sums).refundedCents).toBe(sum)
    }),
    { numRuns: 300, seed: inject('seed') },
  )
})
