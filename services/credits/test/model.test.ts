import type { EventEnvelope } from '@prelude/contracts'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { history, type Step, steps } from './history.ts'
import { debtOf } from './model.ts'
import { accountOf, breaches, startCredits, statementOf } from './start-credits.ts'

const STARTING_CENTS = 700
const SIGN: Record<string, number> = {
  CreditsAdded: 1,
  CreditsRefunded: 1,
  CreditsTaken: -1,
  CreditsCharged: -1,
}

/** Every change of balance and debt has an event with the state after it and a version that grows. Answers the last state. */
function statedBy(events: readonly EventEnvelope[]): { balance: number; debt: number } {
  let balance = 0
  let debt = 0
  let version = 0
  for (const { type, data } of events) {
    const facts = data as {
      amount?: number
      change?: number
      debt?: number
      balance: number
      version: number
    }
    const sign = SIGN[type] ?? 0
    balance += sign * (facts.amount ?? 0)
    debt += facts.change ?? 0
    expect(facts.balance).toBe(balance)
    expect(facts.debt ?? debt).toBe(debt)
    expect(facts.version).toBeGreaterThanOrEqual(version + Math.abs(sign))
    version = facts.version
  }
  return { balance, debt }
}

/** A dispute is won that had taken some credits and left the rest as a debt: both come back at once. */
const PARTLY_FORGIVEN: Step[] = [
  { act: 'request', which: 0, cents: 1 },
  { act: 'topUp', which: 3, cents: 1000 },
  { act: 'reverse', which: 3, cents: 1000 },
  { act: 'reinstate', which: 0, cents: 1000 },
  { act: 'topUp', which: 0, cents: 1000 },
]

test('whatever happens in whatever order, the ledger agrees with its model', async () => {
  await using credits = await startCredits(STARTING_CENTS)
  let person = 0
  const property = fc.asyncProperty(steps, async (taken) => {
    const uid = `u${person++}`
    const { expected, run } = history(credits, uid, STARTING_CENTS)
    await accountOf(credits, uid)
    for (const step of taken) {
      await run(step)
      const { balanceCents, debtCents } = await accountOf(credits, uid)
      expect({ balanceCents, debtCents }).toEqual({
        balanceCents: expected.balance,
        debtCents: debtOf(expected),
      })
    }
    const emitted = (await credits.emitted()).filter((event) => event.key === uid)
    expect(statedBy(emitted)).toEqual({ balance: expected.balance, debt: debtOf(expected) })
    const { rows } = await credits.admin.query<{ song_id: string }>(
      'select song_id from waiting_song where uid = $1 and closed_at is null order by position',
      [uid],
    )
    const waiting = [...expected.songs].filter(([, state]) => state === 'waiting').map(([songId]) => songId)
    expect(rows.map((row) => row.song_id)).toEqual(waiting)
    const amounts = (await statementOf(credits, uid)).map(([amount]) => Number(amount))
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBe(expected.balance)
    expect(await breaches(credits)).toEqual([])
  })
  await fc.assert(property, { numRuns: 100, seed: inject('seed'), examples: [[PARTLY_FORGIVEN]] })
})
