import { creditsApi, UserRegistered } from '@prelude/contracts'
import { isCode } from '@prelude/platform'
import { expect, test } from 'vitest'
import { accountOf, breaches, startCredits, statementOf, emittedOf, topUp } from './start-credits.ts'

test('an account is opened with the starting credits by whatever touches it first, once', async () => {
  await using credits = await startCredits(1500)
  await credits.deliver(UserRegistered, { uid: 'u1' })
  await accountOf(credits, 'u1')
  await accountOf(credits, 'u2')
  await credits.deliver(UserRegistered, { uid: 'u2' })
  await topUp(credits, 'u3', 'p1', 2500)
  expect(await statementOf(credits, 'u1')).toEqual([[1500, 'starting', null]])
  expect(await statementOf(credits, 'u2')).toEqual([[1500, 'starting', null]])
  expect(await statementOf(credits, 'u3')).toEqual([
    [1500, 'starting', null],
    [2500, 'top_up', 'p1'],
  ])
  expect(await statementOf(credits, 'u4')).toEqual([[1500, 'starting', null]])
  expect(await emittedOf(credits, 'u2')).toEqual([
    [
      'CreditsAdded',
      { uid: 'u2', amount: 1500, reason: 'starting', reference: null, balance: 1500, version: 1 },
    ],
  ])
  expect(await breaches(credits)).toEqual([])
})

test('starting with nothing writes nothing', async () => {
  await using credits = await startCredits(0)
  await credits.deliver(UserRegistered, { uid: 'u1' })
  expect(await accountOf(credits, 'u1')).toEqual({ uid: 'u1', balanceCents: 0, debtCents: 0, version: 0 })
  expect(await statementOf(credits, 'u1')).toEqual([])
  expect(await credits.emitted()).toEqual([])
})

test('accounts that do not exist are left out of a batch, and stay unopened', async () => {
  await using credits = await startCredits(1000)
  await accountOf(credits, 'u1')
  const batch = () => credits.api(creditsApi).accounts({ body: { uids: ['u1', 'u2'] } })
  expect(await batch()).toEqual({ items: [{ uid: 'u1', balanceCents: 1000, debtCents: 0, version: 1 }] })
  expect(await batch()).toEqual({ items: [{ uid: 'u1', balanceCents: 1000, debtCents: 0, version: 1 }] })
})

test('a statement is read page by page, newest first, without repeats when entries arrive in between', async () => {
  await using credits = await startCredits()
  for (const n of [1, 2, 3, 4, 5]) await topUp(credits, 'u1', `p${n}`, 100 * n)
  await topUp(credits, 'u2', 'other', 7)
  const page = (cursor?: string) =>
    credits
      .api(creditsApi)
      .entries({ params: { uid: 'u1' }, query: { limit: 2, ...(cursor !== undefined && { cursor }) } })
  const first = await page()
  await topUp(credits, 'u1', 'p6', 600)
  const second = await page(first.nextCursor ?? '')
  const third = await page(second.nextCursor ?? '')
  const all = [...first.items, ...second.items, ...third.items]
  expect(all.map((entry) => entry.reference)).toEqual(['p5', 'p4', 'p3', 'p2', 'p1'])
  expect(all.map((entry) => entry.balanceAfterCents)).toEqual([1500, 1000, 600, 300, 100])
  expect(third.nextCursor).toBeNull()
  expect(first.items[0]?.createdAt).toBeGreaterThan(Date.now() - 60_000)
})

test('a cursor that is not ours is refused', async () => {
  await using credits = await startCredits()
  const entries = credits.api(creditsApi).entries({ params: { uid: 'u1' }, query: { cursor: 'garbage' } })
  await expect(entries).rejects.toSatisfy((error) => isCode(error, 'invalid_cursor'))
})

test('an adjustment happens once for its id', async () => {
  await using credits = await startCredits()
  const adjust = (id: string, amountCents: number) =>
    credits
      .api(creditsApi)
      .adjust({ params: { id }, body: { uid: 'u1', amountCents, reason: 'a correction' } })
  expect(await adjust('a1', 1500)).toMatchObject({ balanceCents: 1500, version: 1 })
  expect(await adjust('a1', 1500)).toMatchObject({ balanceCents: 1500, version: 1 })
  expect(await adjust('a2', -1500)).toMatchObject({ balanceCents: 0, version: 2 })
  expect(await adjust('a3', 0)).toMatchObject({ balanceCents: 0, version: 2 })
  expect(await statementOf(credits, 'u1')).toEqual([
    [1500, 'adjustment', null],
    [-1500, 'adjustment', null],
  ])
  expect(await emittedOf(credits, 'u1')).toEqual([
    [
      'CreditsAdded',
      { uid: 'u1', amount: 1500, reason: 'adjustment', reference: null, balance: 1500, version: 1 },
    ],
    ['CreditsAdjusted', { adjustmentId: 'a1', uid: 'u1', amount: 1500, balance: 1500, version: 1 }],
    [
      'CreditsTaken',
      { uid: 'u1', amount: 1500, reason: 'adjustment', reference: null, balance: 0, version: 2 },
    ],
    ['CreditsAdjusted', { adjustmentId: 'a2', uid: 'u1', amount: -1500, balance: 0, version: 2 }],
  ])
  expect(await breaches(credits)).toEqual([])
})

test('an adjustment below zero is refused, leaves no trace, and its id can be used again', async () => {
  await using credits = await startCredits()
  const adjust = () =>
    credits
      .api(creditsApi)
      .adjust({ params: { id: 'a1' }, body: { uid: 'u1', amountCents: -100, reason: 'too much' } })
  await expect(adjust()).rejects.toSatisfy((error) => isCode(error, 'insufficient_credits'))
  await topUp(credits, 'u1', 'p1', 100)
  expect((await adjust()).balanceCents).toBe(0)
})

test('one adjustment adds or takes 10,000 credits at most', async () => {
  await using credits = await startCredits()
  const adjust = (id: string, amountCents: number) =>
    credits.api(creditsApi).adjust({ params: { id }, body: { uid: 'u1', amountCents, reason: 'a slip' } })
  expect(await adjust('a1', 1_000_000)).toMatchObject({ balanceCents: 1_000_000 })
  for (const amountCents of [1_000_001, -1_000_001])
    await expect(adjust('a2', amountCents)).rejects.toSatisfy((error) => isCode(error, 'invalid_amount'))
})
