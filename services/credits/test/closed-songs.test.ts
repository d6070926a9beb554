import { SongClosed, SongRequested } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { breaches, emittedOf, handle, startCredits, statementOf, topUp } from './start-credits.ts'

/** A request that its owner cancelled or the operator declined costs nothing, whatever comes first. */

const uid = 'u1'
const song = { songId: 's1', uid }
const closed = { ...song, reason: 'cancelled' } as const

test('the credits of a closed song are given back, once', async () => {
  await using credits = await startCredits(1000)
  await credits.deliver(SongRequested, song)
  await credits.deliver(SongClosed, closed)
  await handle(credits, SongClosed, closed)
  expect(await statementOf(credits, uid)).toEqual([
    [1000, 'starting', null],
    [-1000, 'song', 's1'],
    [1000, 'refund', 's1'],
  ])
  const refunds = (await emittedOf(credits, uid)).filter(([type]) => type === 'CreditsRefunded')
  expect(refunds).toHaveLength(1)
  expect(await breaches(credits)).toEqual([])
})

test('a song that a top-up charged before it was closed is refunded; one that was closed while it waited is not charged', async () => {
  await using credits = await startCredits()
  await credits.deliver(SongRequested, song)
  await credits.deliver(SongRequested, { songId: 's2', uid })
  await credits.deliver(SongClosed, { ...closed, songId: 's2' })
  await topUp(credits, uid, 'p1', 2500)
  await credits.deliver(SongClosed, closed)
  expect(await statementOf(credits, uid)).toEqual([
    [2500, 'top_up', 'p1'],
    [-1000, 'song', 's1'],
    [1000, 'refund', 's1'],
  ])
  expect(await breaches(credits)).toEqual([])
})

test('a request that arrives after its song was closed is neither charged nor waits', async () => {
  await using credits = await startCredits()
  await credits.deliver(SongClosed, closed)
  await handle(credits, SongRequested, song)
  await topUp(credits, uid, 'p1', 2500)
  expect(await statementOf(credits, uid)).toEqual([[2500, 'top_up', 'p1']])
  expect(await breaches(credits)).toEqual([])
})
