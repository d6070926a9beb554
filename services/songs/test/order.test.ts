import { expect, test } from 'vitest'
import {
  ChangesAsked,
  CreditsRefunded,
  type Song,
  SongClosed,
  SongLate,
  songsApi,
  STANDARD_TERMS,
} from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { placedObject } from '@prelude/platform/testing'
import { mostAhead } from '../src/domain/song.ts'
import type { Terms } from '../src/index.ts'
import {
  ANSWER,
  brokenRules,
  charge,
  decline,
  request,
  type Songs,
  startSongs as startWith,
} from './start-songs.ts'

/** A song between its request and its acceptance: promise, studio, ways out, changes. */

const HOUR = 60 * 60_000
const DAY = 24 * HOUR
const TERMS: Terms = { ...STANDARD_TERMS, songsPerDay: 2 }

const startSongs = (terms: Partial<Terms> = {}) => startWith({ ...TERMS, ...terms })
const api = (songs: Songs) => songs.api(songsApi)

async function charged(songs: Songs): Promise<string> {
  const id = await request(songs)
  await charge(songs, id)
  return id
}
async function waiting(songs: Songs): Promise<string> {
  const id = await request(songs)
  await decline(songs, id)
  return id
}
const get = (songs: Songs, id: string) => api(songs).get({ params: { id } })
const start = (songs: Songs, id: string, gift = false) => api(songs).start({ params: { id }, body: { gift } })
const cancel = (songs: Songs, id: string) => api(songs).cancel({ params: { id } })
const placed = (songs: Songs, path: string) =>
  placedObject(path, { durationMs: 5_000, placedAt: songs.clock.now() })
const fulfil = (songs: Songs, id: string) =>
  api(songs).fulfil({
    params: { id },
    body: {
      gift: false,
      version1: placed(songs, `${id}/1`),
      version2: placed(songs, `${id}/2`),
    },
  })
const ask = (songs: Songs, id: string, atMs: number | null = null) =>
  api(songs).askChanges({ params: { id }, body: { notes: [{ version: 2, atMs, text: 'louder' }] } })
const markLateAndAccepted = (songs: Songs) =>
  songs.service.jobs?.find(({ name }) => name === 'mark-late-and-accepted')?.run(new AbortController().signal)
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  )
const statesOf = ({ timeline }: Song): string[] => timeline.map(({ state }) => state)
const emitted = async (songs: Songs, type: string) =>
  (await songs.emitted()).filter((event) => event.type === type).map(({ data }) => data)

test('the promise grows with the charged songs before it, and does not move', async () => {
  await using songs = await startSongs()
  const promises: number[] = []
  const hoursLater: number[] = []
  for (let n = 0; n < 4; n++) {
    const { readyBy } = await api(songs).promise()
    const id = await charged(songs)
    const { promisedAt, timeline } = await get(songs, id)
    promises.push((promisedAt ?? 0) - (timeline.at(-1)?.at ?? 0))
    hoursLater.push(Math.round(((promisedAt ?? 0) - readyBy) / HOUR))
  }
  expect(hoursLater).toEqual([0, 0, 0, 0])
  // two a day: the first three are done within the turnaround of a day
  expect(promises).toEqual([DAY, DAY, DAY, 1.5 * DAY])
  expect((await get(songs, await waiting(songs))).promisedAt).toBeNull()

  const [first] = (await api(songs).list({ query: {} })).items.toReversed()
  await fulfil(songs, first?.id ?? '')
  const next = await get(songs, await charged(songs))
  expect((next.promisedAt ?? 0) - (next.timeline.at(-1)?.at ?? 0)).toBe(1.5 * DAY)
  expect((await get(songs, first?.id ?? '')).promisedAt).toBe(first?.promisedAt)
  expect(await brokenRules(songs)).toEqual([])
})

test('the promise counts fifty days of work, and never fewer than 1,000 songs', async () => {
  await using songs = await startSongs()
  const id = await charged(songs)
  await songs.admin.query(
    `insert into song (id, uid, username, email, lyrics, style, charge, promised_at, created_at)
     select uuidv7(), uid, username, email, lyrics, style, charge, promised_at, created_at
     from song, generate_series(1, 1010) where id = $1`,
    [id],
  )
  const { promisedAt, timeline } = await get(songs, await charged(songs))
  expect((promisedAt ?? 0) - (timeline.at(-1)?.at ?? 0)).toBe(500 * DAY)
  expect(mostAhead({ ...TERMS, songsPerDay: 500 })).toBe(25_000)
})

test('the studio: a started song cannot be changed or cancelled by its owner until it is released', async () => {
  await using songs = await startSongs()
  const id = await charged(songs)
  const begun = await start(songs, id)
  expect(begun.startedAt).toEqual(expect.any(Number))
  expect(await start(songs, id)).toEqual(begun)
  const correct = (lyrics: string) => api(songs).change({ params: { id }, body: { lyrics } })
  expect(await codeOf(correct('other'))).toBe('song_started')
  expect(await codeOf(cancel(songs, id))).toBe('song_started')
  expect((await api(songs).release({ params: { id } })).startedAt).toBeNull()
  expect(await correct('other')).toMatchObject({ lyrics: 'other', correctedAt: expect.any(Number) })
  expect((await get(songs, id)).lyrics).toBe('other')
  expect(statesOf(await fulfil(songs, id))).toEqual(['requested', 'paid', 'started', 'delivered'])
  expect(await codeOf(start(songs, id))).toBe('song_not_pending')
  expect(await codeOf(correct('late'))).toBe('song_already_ready')
})

test('the promise of a song does not move when it is refunded and begun as a gift', async () => {
  await using songs = await startSongs()
  const id = await charged(songs)
  const { promisedAt } = await get(songs, id)
  await songs.deliver(CreditsRefunded, { songId: id, ...ANSWER, amount: 1000 })
  expect(await start(songs, id, true)).toMatchObject({ charge: 'gift', promisedAt })
  expect(await brokenRules(songs)).toEqual([])
})

test('a song that waits for credits is started as a gift only, with a promise', async () => {
  await using songs = await startSongs()
  const id = await waiting(songs)
  expect(await codeOf(start(songs, await request(songs)))).toBe('charge_pending')
  expect(await codeOf(start(songs, id))).toBe('song_not_charged')
  expect(await start(songs, id, true)).toMatchObject({ charge: 'gift', promisedAt: expect.any(Number) })
  // credits charged it just before it received the event of the gift, and refunds
  await charge(songs, id)
  await songs.deliver(CreditsRefunded, { songId: id, ...ANSWER, amount: 1000 })
  expect(await fulfil(songs, id)).toMatchObject({ charge: 'gift', status: 'ready' })
  expect(await brokenRules(songs)).toEqual([])
})

test('a cancelled or declined song is closed, its credits are given back, and nothing more happens to it', async () => {
  await using songs = await startSongs()
  const paid = await charged(songs)
  expect(await cancel(songs, paid)).toMatchObject({
    status: 'cancelled',
    charge: 'refunded',
    closedReason: null,
    promisedAt: expect.any(Number),
  })
  const unpaid = await waiting(songs)
  expect(await cancel(songs, unpaid)).toMatchObject({ status: 'cancelled', charge: 'declined' })
  const inStudio = await charged(songs)
  await start(songs, inStudio)
  const decline = (id: string) => api(songs).decline({ params: { id }, body: { reason: 'no words' } })
  expect(await decline(inStudio)).toMatchObject({
    status: 'declined',
    closedReason: 'no words',
    startedAt: null,
  })

  for (const id of [paid, inStudio]) {
    const refused = [
      () => fulfil(songs, id),
      () => start(songs, id),
      () => decline(id),
      () => ask(songs, id),
      () => cancel(songs, id),
      () => api(songs).accept({ params: { id } }),
      () => api(songs).change({ params: { id }, body: { style: 'x' } }),
    ]
    for (const call of refused) expect(await codeOf(call())).toBe('song_closed')
    expect(await codeOf(api(songs).release({ params: { id } }))).toBe('song_not_pending')
  }
  expect(await codeOf(cancel(songs, await request(songs)))).toBe('charge_pending')
  expect(await emitted(songs, SongClosed.type)).toEqual([
    { songId: paid, uid: 'u1', reason: 'cancelled', free: false },
    { songId: unpaid, uid: 'u1', reason: 'cancelled', free: false },
    { songId: inStudio, uid: 'u1', reason: 'declined', free: false },
  ])
  // a top-up that charged it before credits received the event of the end
  await charge(songs, unpaid)
  await songs.deliver(CreditsRefunded, { songId: unpaid, ...ANSWER, amount: 1000 })
  expect(await get(songs, unpaid)).toMatchObject({ charge: 'refunded', promisedAt: null })
  const closed = await api(songs).list({ query: { status: 'closed' } })
  expect(closed.items.map(({ id }) => id).toSorted()).toEqual([paid, unpaid, inStudio].toSorted())
  expect(await brokenRules(songs)).toEqual([])
})

test('a gift, or a song that was refunded before, gives nothing back when it is declined', async () => {
  await using songs = await startSongs()
  const [gift, refunded] = [await waiting(songs), await charged(songs)]
  await start(songs, gift, true)
  await songs.deliver(CreditsRefunded, { songId: refunded, ...ANSWER, amount: 1000 })
  for (const id of [gift, refunded])
    await api(songs).decline({ params: { id }, body: { reason: 'no words' } })
  expect(await emitted(songs, SongClosed.type)).toEqual([
    { songId: gift, uid: 'u1', reason: 'declined', free: true },
    { songId: refunded, uid: 'u1', reason: 'declined', free: true },
  ])
})

test('of a fulfilment and a cancellation at once exactly one wins', async () => {
  await using songs = await startSongs()
  for (let n = 0; n < 10; n++) {
    const id = await charged(songs)
    const outcomes = await Promise.all([codeOf(fulfil(songs, id)), codeOf(cancel(songs, id))])
    const { status } = await get(songs, id)
    expect(outcomes).toEqual(status === 'ready' ? ['ok', 'song_already_ready'] : ['song_closed', 'ok'])
  }
  expect(await brokenRules(songs)).toEqual([])
})

test('a song whose promise passes is late once, also when nobody looked for days', async () => {
  await using songs = await startSongs()
  const late = await charged(songs)
  await start(songs, late)
  const delivered = await charged(songs)
  await fulfil(songs, delivered)
  const unpaid = await waiting(songs)
  songs.clock.pass(23 * HOUR)
  await markLateAndAccepted(songs)
  expect(statesOf(await get(songs, late))).not.toContain('late')
  songs.clock.pass(3 * DAY)
  await markLateAndAccepted(songs)
  expect(statesOf(await get(songs, late))).toContain('late')
  await markLateAndAccepted(songs)
  expect(await emitted(songs, SongLate.type)).toEqual([{ songId: late, uid: 'u1' }])
  for (const id of [delivered, unpaid]) expect(statesOf(await get(songs, id))).not.toContain('late')
  // late, so its owner may leave although it is in the studio; the words are in the works
  expect(await codeOf(api(songs).change({ params: { id: late }, body: { lyrics: 'other' } }))).toBe(
    'song_started',
  )
  expect(await cancel(songs, late)).toMatchObject({ status: 'cancelled', charge: 'refunded' })
})

test('one round of changes is asked for, delivered as a take, and begins the time to accept again', async () => {
  await using songs = await startSongs()
  const id = await charged(songs)
  const accept = () => api(songs).accept({ params: { id } })
  const deliver = () =>
    api(songs).deliverChanges({
      params: { id },
      body: { objects: [{ version: 2, object: placed(songs, newId()) }] },
    })
  expect(await codeOf(ask(songs, id))).toBe('song_not_ready')
  expect(await codeOf(accept())).toBe('song_not_ready')
  const { timeline } = await fulfil(songs, id)
  expect(await codeOf(deliver())).toBe('changes_not_asked')
  expect(await codeOf(ask(songs, id, 5_001))).toBe('invalid_request')
  const asked = await ask(songs, id, 5_000)
  expect(asked.changes).toEqual({
    state: 'asked',
    notes: [{ version: 2, atMs: 5_000, text: 'louder' }],
    askedAt: expect.any(Number),
    deliveredAt: null,
  })
  expect(await codeOf(ask(songs, id))).toBe('changes_used')
  expect(await codeOf(ask(songs, id, 5_001))).toBe('invalid_request')
  expect(await codeOf(accept())).toBe('changes_asked')
  expect(await deliver()).toMatchObject({
    status: 'ready',
    takes: { 1: 1, 2: 2 },
    changes: { state: 'delivered', deliveredAt: expect.any(Number) },
  })
  expect(await codeOf(deliver())).toBe('changes_not_asked')
  expect(await codeOf(ask(songs, id))).toBe('changes_used')
  const end = await accept()
  expect(statesOf(end)).toEqual([
    ...statesOf({ ...end, timeline }),
    'changes_asked',
    'changes_delivered',
    'accepted',
  ])
  expect(await accept()).toEqual(end)
  expect(await codeOf(ask(songs, id))).toBe('changes_closed')
  expect(await emitted(songs, ChangesAsked.type)).toHaveLength(1)
  expect(await brokenRules(songs)).toEqual([])
})

test('each round of changes is kept when another one is asked for', async () => {
  await using songs = await startSongs({ changesIncluded: 3 })
  const id = await charged(songs)
  await fulfil(songs, id)
  const rounds: Song['changes'][] = []
  for (const atMs of [1, 2, 3]) {
    await ask(songs, id, atMs)
    const objects = [{ version: 2 as const, object: placed(songs, newId()) }]
    rounds.push((await api(songs).deliverChanges({ params: { id }, body: { objects } })).changes)
  }
  expect((await api(songs).earlierChanges({ params: { id } })).items).toEqual(rounds.slice(0, 2))
  const unknown = api(songs).earlierChanges({ params: { id: newId() } })
  expect(await codeOf(unknown)).toBe('song_not_found')
})

test('a song counts as accepted when the time for changes is over, but not while changes are asked for', async () => {
  await using songs = await startSongs()
  const [silent, asked] = [await charged(songs), await charged(songs)]
  await fulfil(songs, asked)
  await fulfil(songs, silent)
  songs.clock.pass(3 * DAY - HOUR)
  await ask(songs, asked)
  await markLateAndAccepted(songs)
  expect((await get(songs, silent)).acceptedAt).toBeNull()
  songs.clock.pass(HOUR)
  expect(await codeOf(ask(songs, silent))).toBe('changes_closed')
  await markLateAndAccepted(songs)
  expect((await get(songs, silent)).acceptedAt).toEqual(expect.any(Number))
  expect(await codeOf(ask(songs, silent))).toBe('changes_closed')
  expect((await get(songs, asked)).acceptedAt).toBeNull()
})

test('the credits of a delivered song can be given back; it stays ready, without further work', async () => {
  await using songs = await startSongs()
  const id = await charged(songs)
  await fulfil(songs, id)
  const refund = (delivered: boolean) =>
    api(songs).refund({ params: { id }, body: { reason: 'too quiet', delivered } })
  expect(await codeOf(refund(false))).toBe('song_already_ready')
  expect(await refund(true)).toMatchObject({
    status: 'ready',
    charge: 'refunded',
  })
  expect(await codeOf(ask(songs, id))).toBe('changes_closed')
  expect(await brokenRules(songs)).toEqual([])
})

test('a title and the internal note can change at any time', async () => {
  await using songs = await startSongs()
  const id = await charged(songs)
  await fulfil(songs, id)
  await api(songs).change({ params: { id }, body: { title: 'Rain' } })
  await api(songs).note({ params: { id }, body: { text: 'use the horns' } })
  expect(await get(songs, id)).toMatchObject({ title: 'Rain', note: 'use the horns' })
})
