import { creditsApi, SongClosed, SongFulfilled, SongRequested } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { accountOf, breaches, handle, startCredits, statementOf, emittedOf, topUp } from './start-credits.ts'

test('a song costs ten credits', async () => {
  await using credits = await startCredits(2500)
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  expect(await emittedOf(credits, 'u1')).toEqual([
    [
      'CreditsAdded',
      { uid: 'u1', amount: 2500, reason: 'starting', reference: null, balance: 2500, version: 1 },
    ],
    ['CreditsCharged', { songId: 's1', uid: 'u1', amount: 1000, waited: false, balance: 1500, version: 2 }],
  ])
  expect(await accountOf(credits, 'u1')).toEqual({ uid: 'u1', balanceCents: 1500, debtCents: 0, version: 2 })
  expect(await breaches(credits)).toEqual([])
})

test('a song is charged once even when its request comes twice, also under a new event id', async () => {
  await using credits = await startCredits(2500)
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' }, { position: 1 })
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  expect((await accountOf(credits, 'u1')).balanceCents).toBe(1500)
  expect(await emittedOf(credits, 'u1')).toHaveLength(2)
})

test('a song without credits for it waits, and one event says how much is missing', async () => {
  await using credits = await startCredits(400)
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  expect((await emittedOf(credits, 'u1')).slice(1)).toEqual([
    ['CreditsDeclined', { songId: 's1', uid: 'u1', missing: 600, balance: 400, version: 1 }],
  ])
  expect(await statementOf(credits, 'u1')).toEqual([[400, 'starting', null]])
  expect(await breaches(credits)).toEqual([])
})

test('waiting songs are charged oldest first while the balance lasts', async () => {
  await using credits = await startCredits()
  for (const songId of ['s1', 's2', 's3']) await credits.deliver(SongRequested, { songId, uid: 'u1' })
  await topUp(credits, 'u1', 'p1', 2500)
  expect((await emittedOf(credits, 'u1')).slice(3)).toEqual([
    [
      'CreditsAdded',
      { uid: 'u1', amount: 2500, reason: 'top_up', reference: 'p1', balance: 2500, version: 1 },
    ],
    ['CreditsCharged', { songId: 's1', uid: 'u1', amount: 1000, waited: true, balance: 1500, version: 2 }],
    ['CreditsCharged', { songId: 's2', uid: 'u1', amount: 1000, waited: true, balance: 500, version: 3 }],
  ])
  await topUp(credits, 'u1', 'p2', 500)
  expect((await emittedOf(credits, 'u1')).at(-1)).toEqual([
    'CreditsCharged',
    { songId: 's3', uid: 'u1', amount: 1000, waited: true, balance: 0, version: 5 },
  ])
  expect(await breaches(credits)).toEqual([])
})

test('an adjustment charges waiting songs as a payment does', async () => {
  await using credits = await startCredits()
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  const body = { uid: 'u1', amountCents: 1200, reason: 'sorry' }
  const account = await credits.api(creditsApi).adjust({ params: { id: 'a1' }, body })
  expect(account).toEqual({ uid: 'u1', balanceCents: 200, debtCents: 0, version: 2 })
  expect(await breaches(credits)).toEqual([])
})

test('a waiting song that is given as a gift is never charged', async () => {
  await using credits = await startCredits()
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  await credits.deliver(SongFulfilled, { songId: 's1', uid: 'u1', gift: true })
  await topUp(credits, 'u1', 'p1', 2500)
  await handle(credits, SongRequested, { songId: 's1', uid: 'u1' })
  expect((await accountOf(credits, 'u1')).balanceCents).toBe(2500)
  expect(await breaches(credits)).toEqual([])
})

test('a gift that arrives before its request is never charged', async () => {
  await using credits = await startCredits(2500)
  await handle(credits, SongFulfilled, { songId: 's1', uid: 'u1', gift: true })
  await handle(credits, SongRequested, { songId: 's1', uid: 'u1' })
  expect(await statementOf(credits, 'u1')).toEqual([[2500, 'starting', null]])
  expect((await emittedOf(credits, 'u1')).map(([type]) => type)).toEqual(['CreditsAdded'])
})

test('a gift of a song that had just been charged gives its credits back, once', async () => {
  await using credits = await startCredits(1000)
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  await credits.deliver(SongFulfilled, { songId: 's1', uid: 'u1', gift: true })
  await credits.deliver(SongFulfilled, { songId: 's1', uid: 'u1', gift: true })
  expect((await emittedOf(credits, 'u1')).slice(2)).toEqual([
    ['CreditsRefunded', { songId: 's1', uid: 'u1', amount: 1000, balance: 1000, version: 3 }],
  ])
  expect(await breaches(credits)).toEqual([])
})

test('fulfilling a charged song changes nothing', async () => {
  await using credits = await startCredits(1000)
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  await credits.deliver(SongFulfilled, { songId: 's1', uid: 'u1', gift: false })
  expect((await accountOf(credits, 'u1')).balanceCents).toBe(0)
})

test('a refund gives the credits of a charged song back once, as one that is not closed, and charges waiting songs', async () => {
  await using credits = await startCredits(1000)
  await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
  await credits.deliver(SongRequested, { songId: 's2', uid: 'u1' })
  for (let times = 0; times < 2; times++)
    await handle(credits, SongClosed, {
      songId: 's1',
      uid: 'u1',
      reason: 'cancelled',
      stays: true,
      free: false,
    })
  await handle(credits, SongRequested, { songId: 's1', uid: 'u1' })
  expect((await emittedOf(credits, 'u1')).slice(3)).toEqual([
    ['CreditsRefunded', { songId: 's1', uid: 'u1', amount: 1000, balance: 1000, version: 3 }],
    ['CreditsCharged', { songId: 's2', uid: 'u1', amount: 1000, waited: true, balance: 0, version: 4 }],
  ])
  expect(await statementOf(credits, 'u1')).toEqual([
    [1000, 'starting', null],
    [-1000, 'song', 's1'],
    [1000, 'refund', 's1'],
    [-1000, 'song', 's2'],
  ])
  expect(await breaches(credits)).toEqual([])
})

test.for(['cancelled', 'declined'] as const)(
  'a charged song that is %s gives its credits back once, and the event says why',
  async (reason) => {
    await using credits = await startCredits(1000)
    await credits.deliver(SongRequested, { songId: 's1', uid: 'u1' })
    for (let times = 0; times < 2; times++)
      await handle(credits, SongClosed, { songId: 's1', uid: 'u1', reason, free: false })
    expect((await emittedOf(credits, 'u1')).slice(2)).toEqual([
      [
        'CreditsRefunded',
        { songId: 's1', uid: 'u1', amount: 1000, balance: 1000, version: 3, closed: reason },
      ],
    ])
    expect(await breaches(credits)).toEqual([])
  },
)
