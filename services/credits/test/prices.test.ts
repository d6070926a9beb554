import { SongClosed, SongRequested } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { accountOf, breaches, startCredits, statementOf, topUp } from './start-credits.ts'

/** The price of songs changes: each is charged and refunded at the price that it was requested for. */

const uid = 'u1'
const request = (credits: Awaited<ReturnType<typeof startCredits>>, songId: string, price?: number) =>
  credits.deliver(SongRequested, { songId, uid, ...(price !== undefined && { price }) })

test('a song costs what it was requested for, and that comes back; 10 credits where its request says none', async () => {
  await using credits = await startCredits(2500)
  await request(credits, 's1', 750)
  await request(credits, 's2')
  await credits.deliver(SongClosed, { songId: 's1', uid, reason: 'cancelled', stays: true, free: false })
  expect(await statementOf(credits, uid)).toEqual([
    [2500, 'starting', null],
    [-750, 'song', 's1'],
    [-1000, 'song', 's2'],
    [750, 'refund', 's1'],
  ])
  expect(await breaches(credits)).toEqual([])
})

test('after the price has fallen a waiting song keeps its own, and does not hold up cheaper ones', async () => {
  await using credits = await startCredits(700)
  await request(credits, 'old', 1000)
  expect((await accountOf(credits, uid)).balanceCents).toBe(700)
  await request(credits, 'new', 500)
  await request(credits, 'newer', 500)
  await topUp(credits, uid, 'p1', 400)
  expect((await statementOf(credits, uid)).slice(1)).toEqual([
    [-500, 'song', 'new'],
    [400, 'top_up', 'p1'],
    [-500, 'song', 'newer'],
  ])
  expect(await breaches(credits)).toEqual([])
  await topUp(credits, uid, 'p2', 900)
  expect((await statementOf(credits, uid)).at(-1)).toEqual([-1000, 'song', 'old'])
  expect(await breaches(credits)).toEqual([])
})

test('after the price has risen a waiting song is still charged its own', async () => {
  await using credits = await startCredits()
  await request(credits, 'old', 1000)
  await request(credits, 'new', 1500)
  await topUp(credits, uid, 'p1', 1200)
  expect((await statementOf(credits, uid)).at(-1)).toEqual([-1000, 'song', 'old'])
  expect(await breaches(credits)).toEqual([])
  await topUp(credits, uid, 'p2', 1300)
  expect((await statementOf(credits, uid)).at(-1)).toEqual([-1500, 'song', 'new'])
  expect((await accountOf(credits, uid)).balanceCents).toBe(0)
  expect(await breaches(credits)).toEqual([])
})

test('of waiting songs with different prices those are charged that the credits pay for, oldest first', async () => {
  await using credits = await startCredits()
  for (const [songId, price] of [
    ['s1', 600],
    ['s2', 900],
    ['s3', 300],
    ['s4', 100],
    ['s5', 100],
  ] as const)
    await request(credits, songId, price)
  await topUp(credits, uid, 'p1', 1000)
  expect((await statementOf(credits, uid)).map(([, , songId]) => songId)).toEqual(['p1', 's1', 's3', 's4'])
  expect(await breaches(credits)).toEqual([])
})
