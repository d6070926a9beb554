import {
  AccountClosed,
  accountUid,
  PaymentReinstated,
  PaymentReversed,
  SongRequested,
} from '@prelude/contracts'
import { expect, test } from 'vitest'
import { accountOf, breaches, handle, startCredits, statementOf, emittedOf, topUp } from './start-credits.ts'

const uid = 'u1'

test('the balance is forfeited, once, and the entries stay', async () => {
  await using credits = await startCredits()
  await topUp(credits, uid, 'p1', 2500)
  await credits.deliver(SongRequested, { songId: 's1', uid })
  await credits.deliver(AccountClosed, { uid })
  await handle(credits, AccountClosed, { uid })
  expect(await statementOf(credits, uid)).toEqual([
    [2500, 'top_up', 'p1'],
    [-1000, 'song', 's1'],
    [-1500, 'adjustment', null],
  ])
  expect(await accountOf(credits, uid)).toMatchObject({ balanceCents: 0, debtCents: 0 })
  expect(await breaches(credits)).toEqual([])
})

test('debts are written off, payment by payment, each with its event', async () => {
  await using credits = await startCredits()
  for (const [paymentId, songs] of [
    ['p1', ['s1', 's2']],
    ['p2', ['s3']],
  ] as const) {
    await topUp(credits, uid, paymentId, songs.length * 1000)
    for (const songId of songs) await credits.deliver(SongRequested, { songId, uid })
    await credits.deliver(PaymentReversed, {
      uid,
      paymentId,
      credits: songs.length * 1000,
      reversalId: `${paymentId}:1`,
    })
  }
  await credits.deliver(AccountClosed, { uid })
  expect(await accountOf(credits, uid)).toMatchObject({ balanceCents: 0, debtCents: 0 })
  const emitted = (await emittedOf(credits, uid)).filter(([type]) => type === 'DebtChanged')
  expect(emitted.map(([, data]) => data['debt'])).toEqual([2000, 1000, 2000, 1000, 0])
  expect(await breaches(credits)).toEqual([])
})

test('no song of a closed account waits for credits, nor one whose request comes late', async () => {
  await using credits = await startCredits()
  await credits.deliver(SongRequested, { songId: 's1', uid })
  await credits.deliver(AccountClosed, { uid })
  await credits.deliver(SongRequested, { songId: 's2', uid })
  await topUp(credits, uid, 'late', 2500)
  expect(await statementOf(credits, uid)).toEqual([[2500, 'top_up', 'late']])
  expect(await breaches(credits)).toEqual([])
})

test('later messages of a provider are booked: a payment, its refund, a dispute that was won', async () => {
  await using credits = await startCredits()
  await credits.deliver(AccountClosed, { uid })
  await topUp(credits, uid, 'p1', 2500)
  expect(await accountOf(credits, uid)).toMatchObject({ balanceCents: 2500 })
  await credits.deliver(PaymentReversed, { uid, paymentId: 'p1', credits: 2500, reversalId: 'p1:1' })
  expect(await accountOf(credits, uid)).toMatchObject({ balanceCents: 0, debtCents: 0 })
  await credits.deliver(PaymentReinstated, { uid, paymentId: 'p1', credits: 2500, reversalId: 'p1:2' })
  expect(await accountOf(credits, uid)).toMatchObject({ balanceCents: 2500 })
  expect(await breaches(credits)).toEqual([])
})

test('an identity gets starting credits once, however many accounts it opens', async () => {
  await using credits = await startCredits(1000)
  expect(await accountOf(credits, accountUid('ada', 0))).toMatchObject({ balanceCents: 1000 })
  expect(await accountOf(credits, accountUid('ada', 1))).toMatchObject({ balanceCents: 0 })
  await topUp(credits, accountUid('ada', 2), 'p1', 2500)
  expect(await statementOf(credits, accountUid('ada', 2))).toEqual([[2500, 'top_up', 'p1']])
})
