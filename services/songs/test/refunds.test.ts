import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { AccountClosed, CreditsRefunded, sharesApi, songsApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { ANSWER, brokenRules, charge, fulfil, request, type Songs, startSongs } from './start-songs.ts'

/** The operator gives the credits of a song back. */

const get = (songs: Songs, id: string) => songs.api(songsApi).get({ params: { id } })
const creditsRefunded = (songs: Songs, songId: string) =>
  songs.deliver(CreditsRefunded, { songId, ...ANSWER, amount: 1000 })
const eventsOf = async (songs: Songs, type: string) =>
  (await songs.emitted()).filter((event) => event.type === type).map(({ data }) => data)
const refund = (songs: Songs, id: string) =>
  songs.api(songsApi).refund({ params: { id }, body: { reason: 'no singer', delivered: false } })

test('a refund is decided at once, emits one event, and leaves a song that can only be a gift', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await expect(refund(songs, id)).rejects.toMatchObject({ code: 'charge_pending' })
  await charge(songs, id)
  const refunded = await refund(songs, id)
  expect(refunded).toMatchObject({ status: 'pending', charge: 'refunded', charged: false, updatedAt: null })
  expect(refunded.refundReason).toBe('no singer')
  expect(refunded.timeline.map(({ state }) => state)).toEqual(['requested', 'paid', 'refunded'])
  await creditsRefunded(songs, id)
  await charge(songs, id)
  expect(await get(songs, id)).toEqual(refunded)
  await expect(fulfil(songs, id)).rejects.toMatchObject({ code: 'song_not_charged' })
  await expect(refund(songs, id)).rejects.toMatchObject({ code: 'song_not_charged' })
  expect(await eventsOf(songs, 'SongClosed')).toEqual([
    { songId: id, uid: 'u1', reason: 'cancelled', stays: true, free: false },
  ])
  const gift = await fulfil(songs, id, true)
  expect(gift).toMatchObject({ charge: 'gift' })
  expect(gift).not.toHaveProperty('refundReason')
  expect(await brokenRules(songs)).toEqual([])
})

test('of a refund, a fulfilment and a cancellation at once the first decides what the others find', async () => {
  await using songs = await startSongs()
  for (let round = 0; round < 5; round++) {
    const id = await request(songs)
    await charge(songs, id)
    const cancel = () => songs.api(songsApi).cancel({ params: { id } })
    const acts = [() => refund(songs, id), () => refund(songs, id), () => fulfil(songs, id), cancel]
    await Promise.allSettled([...acts.slice(round % 4), ...acts.slice(0, round % 4)].map((act) => act()))
    const { status, charge: end } = await get(songs, id)
    expect(end).toBe(status === 'ready' ? 'charged' : 'refunded')
    const closed = (await eventsOf(songs, 'SongClosed')).filter(({ songId }) => songId === id)
    expect(closed.filter(({ free }) => free !== true)).toHaveLength(status === 'ready' ? 0 : 1)
  }
  expect(await brokenRules(songs)).toEqual([])
})

test('a song whose account is closed is not refunded', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await charge(songs, id)
  await songs.deliver(AccountClosed, { uid: 'u1' })
  await expect(refund(songs, id)).rejects.toMatchObject({ code: 'song_not_found' })
})

const completeHeldRefunds = async (songs: Songs): Promise<void> => {
  await songs.admin.query(
    await readFile(new URL('../migrations/0002-held-refunds.sql', import.meta.url), 'utf8'),
  )
}

test('a refund that an earlier version left without an answer is completed by the update', async () => {
  await using songs = await startSongs()
  const [pending, ready, other] = [await request(songs), await request(songs), await request(songs)]
  for (const id of [pending, ready, other]) await charge(songs, id)
  await fulfil(songs, ready)
  const shared = { songId: ready, versions: [1 as const], lyrics: true, download: true, expiresAt: null }
  await songs.api(sharesApi).create({ params: { id: newId() }, body: shared })
  await songs.admin.query(
    `update song set refund_held = true, refund_reason = 'no singer' where id = any($1)`,
    [[pending, ready]],
  )
  const before = await get(songs, other)
  for (let times = 0; times < 2; times++) await completeHeldRefunds(songs)
  expect(await get(songs, pending)).toMatchObject({
    charge: 'refunded',
    refundReason: 'no singer',
    revision: 3,
  })
  expect((await get(songs, pending)).timeline.at(-1)).toEqual({
    state: 'refunded',
    at: expect.any(Number) as number,
  })
  expect(await get(songs, ready)).toMatchObject({ status: 'ready', charge: 'refunded' })
  expect(await get(songs, other)).toEqual(before)
  const closed = [pending, ready].map((songId) => ({ songId, uid: 'u1', reason: 'cancelled', free: false }))
  expect(await eventsOf(songs, 'SongClosed')).toHaveLength(2)
  expect(await eventsOf(songs, 'SongClosed')).toEqual(expect.arrayContaining(closed))
  expect(await brokenRules(songs)).toEqual([])
})

test('a song that an earlier version holds during the update changes as any other', async () => {
  await using songs = await startSongs()
  const [cancelled, refunded] = [await request(songs), await request(songs)]
  for (const id of [cancelled, refunded]) await charge(songs, id)
  await songs.admin.query(`update song set refund_held = true`)
  await songs.api(songsApi).cancel({ params: { id: cancelled } })
  await creditsRefunded(songs, refunded)
  for (const id of [cancelled, refunded]) expect((await get(songs, id)).charge).toBe('refunded')
  expect((await songs.admin.query('select from dead_letter')).rowCount).toBe(0)
})
