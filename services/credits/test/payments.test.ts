import { creditsApi, PaymentReinstated, PaymentReversed, SongRequested } from '@prelude/contracts'
import type { TestService } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { accountOf, breaches, handle, startCredits, statementOf, emittedOf, topUp } from './start-credits.ts'

const reverse = (credits: TestService, paymentId: string, creditsCents: number, reversalId: string) =>
  credits.deliver(PaymentReversed, { uid: 'u1', paymentId, credits: creditsCents, reversalId })

const reinstate = (credits: TestService, paymentId: string, creditsCents: number, reversalId: string) =>
  credits.deliver(PaymentReinstated, { uid: 'u1', paymentId, credits: creditsCents, reversalId })

/** A person who paid 25, spent 20, and whose payment was then reversed: 5 taken, 20 owed. */
async function startWithDebt(): Promise<TestService> {
  const credits = await startCredits()
  await topUp(credits, 'u1', 'p1', 2500)
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  await credits.deliver(SongRequested, { songId: 's2', uid: 'u1' })
  await reverse(credits, 'p1', 2500, 'r1')
  return credits
}

test('the statement distinguishes a card payment from a bank transfer', async () => {
  await using credits = await startCredits()
  await topUp(credits, 'u1', 'p1', 2500, 'card')
  await topUp(credits, 'u1', 'p2', 2500, 'alternate')
  await topUp(credits, 'u1', 'p3', 2500, 'naira_transfer')
  expect(await statementOf(credits, 'u1')).toEqual([
    [2500, 'top_up', 'p1'],
    [2500, 'top_up', 'p2'],
    [2500, 'transfer', 'p3'],
  ])
  const { rows } = await credits.admin.query<{ account: string }>(
    'select account from entry where amount_cents < 0 order by id',
  )
  expect(rows.map((row) => row.account)).toEqual(['card_clearing', 'alternate_clearing', 'transfer_clearing'])
})

test('a payment is credited once even when its success comes again under a new event id', async () => {
  await using credits = await startCredits()
  await topUp(credits, 'u1', 'p1', 2500)
  await topUp(credits, 'u1', 'p1', 2500)
  expect((await accountOf(credits, 'u1')).balanceCents).toBe(2500)
  expect(await emittedOf(credits, 'u1')).toHaveLength(1)
})

test('a reversal takes back at most the balance and leaves the rest as a debt', async () => {
  await using credits = await startWithDebt()
  expect(await accountOf(credits, 'u1')).toEqual({ uid: 'u1', balanceCents: 0, debtCents: 2000, version: 4 })
  expect((await emittedOf(credits, 'u1')).slice(-3)).toEqual([
    [
      'CreditsTaken',
      { uid: 'u1', amount: 500, reason: 'payment_reversed', reference: 'p1', balance: 0, version: 4 },
    ],
    ['DebtChanged', { uid: 'u1', change: 2000, debt: 2000, reference: 'p1', balance: 0, version: 4 }],
    [
      'CreditsReversed',
      {
        reversalId: 'r1',
        paymentId: 'p1',
        uid: 'u1',
        amount: 2500,
        owed: 2000,
        debt: 2000,
        balance: 0,
        version: 4,
      },
    ],
  ])
  expect(await breaches(credits)).toEqual([])
})

test('a reversal of spent credits emits a debt, though the balance does not change', async () => {
  await using credits = await startCredits()
  await topUp(credits, 'u1', 'p1', 1000)
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  await reverse(credits, 'p1', 1000, 'r1')
  expect((await emittedOf(credits, 'u1')).slice(2, 3)).toEqual([
    ['DebtChanged', { uid: 'u1', change: 1000, debt: 1000, reference: 'p1', balance: 0, version: 3 }],
  ])
  await reinstate(credits, 'p1', 1000, 'r1')
  expect((await emittedOf(credits, 'u1')).slice(4)).toEqual([
    ['DebtChanged', { uid: 'u1', change: -1000, debt: 0, reference: 'p1', balance: 0, version: 4 }],
  ])
})

test('the statement says what a reversal left owed, also when nothing was left to take', async () => {
  await using credits = await startWithDebt()
  await topUp(credits, 'u1', 'p2', 3000)
  await credits.deliver(SongRequested, { songId: 's3', uid: 'u1' })
  await reverse(credits, 'p2', 3000, 'r2')
  const entries = (page: { limit: number; cursor?: string }) =>
    credits.api(creditsApi).entries({ params: { uid: 'u1' }, query: page })
  const { items } = await entries({ limit: 100 })
  expect(
    items.map((entry) => [entry.reason, entry.amountCents, entry.owedCents, entry.balanceAfterCents]),
  ).toEqual([
    ['payment_reversed', 0, 3000, 0],
    ['song', -1000, 0, 0],
    ['debt_settled', -2000, -2000, 1000],
    ['top_up', 3000, 0, 3000],
    ['payment_reversed', -500, 2000, 0],
    ['song', -1000, 0, 500],
    ['song', -1000, 0, 1500],
    ['top_up', 2500, 0, 2500],
  ])
  // page by page, the same
  const paged = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Awaited<ReturnType<typeof entries>> = await entries({ limit: 1, ...(cursor && { cursor }) })
    paged.push(...page.items)
    cursor = page.nextCursor
  }
  expect(paged).toEqual(items)
})

test('debtors are listed, largest debt first, page by page', async () => {
  await using credits = await startCredits()
  const owed = { u1: 300, u2: 900, u3: 300, u4: 0 }
  for (const [uid, cents] of Object.entries(owed)) {
    await topUp(credits, uid, `p-${uid}`, 1000)
    await credits.deliver(SongRequested, { songId: `s-${uid}`, uid })
    if (cents > 0)
      await credits.deliver(PaymentReversed, {
        uid,
        paymentId: `p-${uid}`,
        credits: cents,
        reversalId: `r-${uid}`,
      })
  }
  const { debts } = credits.api(creditsApi)
  const first = await debts({ query: { limit: 2 } })
  const rest = await debts({ query: { limit: 2, cursor: first.nextCursor ?? '' } })
  expect([...first.items, ...rest.items].map(({ uid, debtCents }) => [uid, debtCents])).toEqual([
    ['u2', 900],
    ['u1', 300],
    ['u3', 300],
  ])
  expect(rest.nextCursor).toBeNull()
})

test('the same reversal takes once, and a payment can be reversed in parts', async () => {
  await using credits = await startCredits()
  await topUp(credits, 'u1', 'p1', 2500)
  await reverse(credits, 'p1', 1000, 'r1')
  await reverse(credits, 'p1', 1000, 'r1')
  await reverse(credits, 'p1', 500, 'r2')
  expect((await accountOf(credits, 'u1')).balanceCents).toBe(1000)
  expect(await breaches(credits)).toEqual([])
})

test('the next credits settle the debt first, and only then charge waiting songs', async () => {
  await using credits = await startWithDebt()
  await credits.deliver(SongRequested, { songId: 's3', uid: 'u1' })
  await topUp(credits, 'u1', 'p2', 3100)
  expect((await emittedOf(credits, 'u1')).slice(7)).toEqual([
    [
      'CreditsAdded',
      { uid: 'u1', amount: 3100, reason: 'top_up', reference: 'p2', balance: 3100, version: 5 },
    ],
    [
      'CreditsTaken',
      { uid: 'u1', amount: 2000, reason: 'debt_settled', reference: 'p1', balance: 1100, version: 6 },
    ],
    ['DebtChanged', { uid: 'u1', change: -2000, debt: 0, reference: 'p1', balance: 1100, version: 6 }],
    ['CreditsCharged', { songId: 's3', uid: 'u1', amount: 1000, waited: true, balance: 100, version: 7 }],
  ])
  expect((await accountOf(credits, 'u1')).debtCents).toBe(0)
  expect(await breaches(credits)).toEqual([])
})

test('a debt can be settled by several payments', async () => {
  await using credits = await startWithDebt()
  await topUp(credits, 'u1', 'p2', 1500)
  expect(await accountOf(credits, 'u1')).toMatchObject({ balanceCents: 0, debtCents: 500 })
  await topUp(credits, 'u1', 'p3', 1500)
  expect(await accountOf(credits, 'u1')).toMatchObject({ balanceCents: 1000, debtCents: 0 })
  expect(await breaches(credits)).toEqual([])
})

test('a reinstated payment forgives the debt it left and gives the rest again', async () => {
  await using credits = await startWithDebt()
  await reinstate(credits, 'p1', 2500, 'r1')
  await reinstate(credits, 'p1', 2500, 'r1')
  expect(await accountOf(credits, 'u1')).toEqual({ uid: 'u1', balanceCents: 500, debtCents: 0, version: 5 })
  expect((await emittedOf(credits, 'u1')).slice(-2)).toEqual([
    [
      'CreditsAdded',
      { uid: 'u1', amount: 500, reason: 'payment_reinstated', reference: 'p1', balance: 500, version: 5 },
    ],
    ['DebtChanged', { uid: 'u1', change: -2000, debt: 0, reference: 'p1', balance: 500, version: 5 }],
  ])
  expect(await breaches(credits)).toEqual([])
})

test('a reinstated payment whose debt was settled meanwhile comes back whole, and charges waiting songs', async () => {
  await using credits = await startWithDebt()
  await topUp(credits, 'u1', 'p2', 2000)
  await credits.deliver(SongRequested, { songId: 's3', uid: 'u1' })
  await reinstate(credits, 'p1', 2500, 'r1')
  expect((await statementOf(credits, 'u1')).slice(-4)).toEqual([
    [2000, 'top_up', 'p2'],
    [-2000, 'debt_settled', 'p1'],
    [2500, 'payment_reinstated', 'p1'],
    [-1000, 'song', 's3'],
  ])
  expect(await breaches(credits)).toEqual([])
})

test('a reinstated payment settles the debt of another one', async () => {
  await using credits = await startCredits()
  await topUp(credits, 'u1', 'p1', 1000)
  await topUp(credits, 'u1', 'p2', 1000)
  await reverse(credits, 'p1', 1000, 'r1')
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  await reverse(credits, 'p2', 1000, 'r2')
  await reinstate(credits, 'p1', 1000, 'r3')
  expect((await statementOf(credits, 'u1')).slice(-2)).toEqual([
    [1000, 'payment_reinstated', 'p1'],
    [-1000, 'debt_settled', 'p2'],
  ])
  expect(await accountOf(credits, 'u1')).toMatchObject({ balanceCents: 0, debtCents: 0 })
  expect(await breaches(credits)).toEqual([])
})

test('the reversal of a payment that was never credited is refused and parked', async () => {
  await using credits = await startCredits(1000)
  const reversal = { uid: 'u1', paymentId: 'unknown', credits: 500, reversalId: 'r1' }
  await expect(handle(credits, PaymentReversed, reversal)).rejects.toThrow('never credited')
  expect((await accountOf(credits, 'u1')).balanceCents).toBe(1000)
})
