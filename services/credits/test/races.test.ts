import {
  creditsApi,
  PaymentSucceeded,
  SongFulfilled,
  SongRequested,
  UserRegistered,
} from '@prelude/contracts'
import { blockedConnections, holdOpen } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { songCharge } from '../src/domain/journals.ts'
import { createLedger } from '../src/store/ledger.ts'
import {
  accountOf,
  breaches,
  envelopeOf,
  handle,
  subscriberTo,
  startCredits,
  statementOf,
  emittedOf,
  topUp,
} from './start-credits.ts'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

test('of 200 songs asked for at once with credits for ten, exactly ten are charged', async () => {
  await using credits = await startCredits(10_500)
  const songs = numbers(200).values()
  // one caller for each connection of the pool: more would wait for a connection, and time out on a slow machine
  const ask = async (): Promise<void> => {
    for (const n of songs) await handle(credits, SongRequested, { songId: `s${n}`, uid: 'u1' })
  }
  await Promise.all(numbers(10).map(ask))
  const emitted = await emittedOf(credits, 'u1')
  expect(emitted.filter(([type]) => type === 'CreditsCharged')).toHaveLength(10)
  expect(emitted.filter(([type]) => type === 'CreditsDeclined')).toHaveLength(190)
  expect(await accountOf(credits, 'u1')).toMatchObject({ balanceCents: 500, version: 11 })
  expect(await breaches(credits)).toEqual([])
})

test('one song asked for twenty times at once is charged once', async () => {
  await using credits = await startCredits(10_000)
  await Promise.all(numbers(20).map(() => handle(credits, SongRequested, { songId: 's1', uid: 'u1' })))
  expect((await accountOf(credits, 'u1')).balanceCents).toBe(9000)
})

test('a payment whose event comes twenty times at once is credited once', async () => {
  await using credits = await startCredits()
  const success = { uid: 'u1', paymentId: 'p1', credits: 2500, method: 'card' }
  await Promise.all(numbers(20).map(() => handle(credits, PaymentSucceeded, success)))
  expect(await statementOf(credits, 'u1')).toEqual([[2500, 'top_up', 'p1']])
})

test('a request and a top-up that overtake each other leave no song uncharged with funds', async () => {
  await using credits = await startCredits()
  await Promise.all(
    numbers(40).flatMap((n) => {
      const uid = `u${n}`
      const request = () => credits.deliver(SongRequested, { songId: `s${n}`, uid })
      const pay = () => topUp(credits, uid, `p${n}`, 2500)
      return n % 2 === 0 ? [request(), pay()] : [pay(), request()]
    }),
  )
  const { items } = await credits
    .api(creditsApi)
    .accounts({ body: { uids: numbers(40).map((n) => `u${n}`) } })
  expect(items.map((account) => account.balanceCents)).toEqual(numbers(40).map(() => 1500))
  expect(await breaches(credits)).toEqual([])
})

test('a top-up waits for a request that is being answered, and then pays for its song', async () => {
  await using credits = await startCredits()
  await accountOf(credits, 'u1')
  const commit = await holdOpen(credits.db, (tx) =>
    subscriberTo(credits, SongRequested).handle([envelopeOf(SongRequested, { songId: 's1', uid: 'u1' })], tx),
  )
  let isPaid = false
  const payment = topUp(credits, 'u1', 'p1', 2500).then(() => (isPaid = true))
  await eventually(async () => {
    if (!isPaid && (await blockedConnections(credits.admin)) === 0)
      throw new Error('neither paid nor waiting')
  })
  await Promise.all([commit(), payment])
  expect(await statementOf(credits, 'u1')).toEqual([
    [2500, 'top_up', 'p1'],
    [-1000, 'song', 's1'],
  ])
  expect(await breaches(credits)).toEqual([])
})

test('a batch locks accounts in the order of their uids, and reads each as it is then', async () => {
  await using credits = await startCredits()
  const ledger = createLedger(0, credits.clock)
  for (const uid of ['a', 'b']) await topUp(credits, uid, `p-${uid}`, 1000)
  const release = await holdOpen(credits.db, (tx) => ledger.lockAccount(tx, 'a'))
  const batch = credits.db.transaction((tx) =>
    ledger.postAll(tx, [songCharge('b', 's1', 1000), songCharge('a', 's2', 1000)]),
  )
  await expect.poll(() => blockedConnections(credits.admin)).toBe(1)
  const [spender] = await Promise.allSettled([handle(credits, SongRequested, { songId: 's3', uid: 'b' })])
  const [postings] = await Promise.all([batch, release()])
  expect(spender).toMatchObject({ status: 'fulfilled' }) // the batch, which waits for a, has not locked b
  expect(postings.map(({ outcome }) => outcome)).toEqual(['insufficient', 'applied'])
})

test('of 20 songs whose requests wait while the account is opened, as many are charged as the starting credits pay', async () => {
  await using credits = await startCredits(3000)
  const ledger = createLedger(3000, credits.clock)
  const commit = await holdOpen(credits.db, (tx) => ledger.lockAccount(tx, 'u1'))
  const requests = numbers(20).map((n) => handle(credits, SongRequested, { songId: `s${n}`, uid: 'u1' }))
  await expect.poll(() => blockedConnections(credits.admin)).toBeGreaterThan(5)
  await Promise.all([commit(), ...requests])
  const emitted = await emittedOf(credits, 'u1')
  expect(emitted.filter(([type]) => type === 'CreditsCharged')).toHaveLength(3)
  expect(await breaches(credits)).toEqual([])
})

test('a gift and the top-up that pays for it end with the credits still there, whichever wins', async () => {
  await using credits = await startCredits()
  const people = numbers(20).map((n) => `u${n}`)
  for (const uid of people) await credits.deliver(SongRequested, { songId: `s-${uid}`, uid })
  await Promise.all(
    people.flatMap((uid) => [
      topUp(credits, uid, `p-${uid}`, 1000),
      credits.deliver(SongFulfilled, { songId: `s-${uid}`, uid, gift: true }),
    ]),
  )
  const { items } = await credits.api(creditsApi).accounts({ body: { uids: people } })
  expect(items.map((account) => account.balanceCents)).toEqual(people.map(() => 1000))
  expect(await breaches(credits)).toEqual([])
})

test('an account that many routes touch first at once is opened once', async () => {
  await using credits = await startCredits(1000)
  await Promise.all([
    ...numbers(5).map(() => accountOf(credits, 'u1')),
    ...numbers(5).map(() => handle(credits, UserRegistered, { uid: 'u1' })),
    ...numbers(5).map((n) => {
      return handle(credits, PaymentSucceeded, {
        uid: 'u1',
        paymentId: `p${n}`,
        credits: 100,
        method: 'card',
      })
    }),
  ])
  expect((await accountOf(credits, 'u1')).balanceCents).toBe(1500)
  expect((await statementOf(credits, 'u1'))[0]).toEqual([1000, 'starting', null])
  expect(await breaches(credits)).toEqual([])
})
