import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedAnswer } from '../src/api/shared-answer.ts'
import { briefOf } from '../src/songs/brief.ts'
import { songView } from '../src/songs/views.ts'
import { songOf, songsStub } from './stand-ins.ts'
import { type Browser, startGateway, type TestGateway } from './start-gateway.ts'

/** The promise before a request, its brief, and what an owner may say about a song at any time. */

const stub = songsStub()
let gateway: TestGateway
let ada: Browser

beforeAll(async () => {
  gateway = await startGateway({ services: { songs: stub.routes } })
  ada = await gateway.signIn()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** The status of an answer, its code, and the fields that it names. */
async function outcome(answer: Response): Promise<unknown> {
  const { code, errors } = (await answer.json()) as { code?: string; errors?: { path: string }[] }
  return [answer.status, code, errors?.map(({ path }) => path).join(' ')]
}

test('nothing of a brief must be said: null and empty are as absent', () => {
  for (const none of [
    {},
    { genre: null, mood: ' ', tempoBpm: null, instruments: [], reference: null, keepWords: null },
  ])
    expect(briefOf(none)).toBeNull()
  expect(briefOf({ genre: 'jazz', mood: null, instruments: ['', 'bass'] })).toEqual({
    genre: 'jazz',
    instruments: ['bass'],
  })
})

const WRONG_BRIEFS: [string, unknown][] = [
  ['genre', 'x'.repeat(101)],
  ['mood', 5],
  ['tempoBpm', 39],
  ['tempoBpm', 241],
  ['tempoBpm', 99.5],
  ['tempoBpm', '100'],
  ['instruments', Array.from({ length: 13 }, () => 'x')],
  ['instruments', ['x'.repeat(101)]],
  ['instruments', 'horns'],
  ['reference', 'http://example.test'],
  ['reference', 'https://'],
  ['reference', 'https://a b'],
  ['reference', 'https://[x]'],
  ['reference', `https://example.test/${'x'.repeat(480)}`],
  ['keepWords', 'yes'],
]
const submit = (brief: object) => ada.post('/api/songs', { lyrics: 'la', style: 'folk', brief })

test('a brief with a wrong field is refused by its name', async () => {
  const outcomes = await Array.fromAsync(WRONG_BRIEFS, async ([name, value]) =>
    outcome(await submit({ genre: 'folk', [name]: value })),
  )
  expect(outcomes).toEqual(
    WRONG_BRIEFS.map(([name]) => [400, 'invalid_request', expect.stringContaining(`brief.${name}`)]),
  )
})

test('the longest texts of a brief are stored, unknown fields are ignored, and what cannot be stored is refused', async () => {
  for (const [brief, status] of [
    [{ voice: 'a\0' }, 400],
    [{ instruments: ['\ud800'] }, 400],
    [{ unknown: 1 }, 201],
    [{ mood: '🎵'.repeat(100), tempoBpm: 240, reference: `https://example.test/${'x'.repeat(479)}` }, 201],
  ] as const)
    expect([brief, (await submit(brief)).status]).toEqual([brief, status])
})

const WRONG_FIELDS: [string, unknown][] = [
  ['title', 'x'.repeat(121)],
  ['title', 5],
  ['favourite', null],
  ['favourite', 'true'],
  ['preferred', 3],
  ['preferred', '1'],
  ['archived', 1],
]
test('a wrong field of a song is refused by its name', async () => {
  const outcomes = await Array.fromAsync(WRONG_FIELDS, async ([name, value]) => {
    const body = JSON.stringify({ [name]: value })
    const headers = { 'content-type': 'application/json' }
    return outcome(await ada.send('/api/songs/x', { method: 'PATCH', headers, body }))
  })
  expect(outcomes).toEqual(WRONG_FIELDS.map(([name]) => [400, 'invalid_request', name]))
})

const TEXTS: [string, unknown][] = [
  ['', [400, 'invalid_request', 'text']],
  [' \n\u00a0', [400, 'invalid_request', 'text']],
  ['x'.repeat(2_001), [400, 'invalid_request', 'text']],
  ['a\0', [400, 'invalid_text', undefined]],
  ['🥁'.repeat(2_000), [404, 'song_not_found', undefined]],
]
test('a message has 1 to 2,000 characters and is not blank, which is judged before its song', async () => {
  const outcomes = await Array.fromAsync(TEXTS, async ([text]) => [
    text,
    await outcome(await ada.post('/api/songs/x/messages', { text })),
  ])
  expect(outcomes).toEqual(TEXTS)
})

test('unread messages count for the viewer; the operator is the owner of songs of their own', () => {
  const song = songOf({ uid: 'u1', messages: { count: 3, unread: 1 }, unreadByOperator: 2 })
  const unreadFor = (viewer: { isUnlocked: boolean; uid?: string }) =>
    songView(song, viewer, gateway.config).messages.unread
  expect(
    [
      { isUnlocked: false, uid: 'u1' },
      { isUnlocked: true, uid: 'boss' },
      { isUnlocked: true, uid: 'u1' },
    ].map(unreadFor),
  ).toEqual([1, 2, 1])
})

test('what the form said of the promise is kept with the request, if it is a time', async () => {
  const submitWith = (readyBy: unknown) => ada.post('/api/songs', { lyrics: 'la', style: 'folk', readyBy })
  for (const wrong of [null, '1', 1.5, -1, 8.64e15 + 1])
    expect(await outcome(await submitWith(wrong))).toEqual([400, 'invalid_request', 'readyBy'])
  for (const readyBy of [0, 8.64e15]) {
    const answer = await submitWith(readyBy)
    expect([answer.status, await answer.json()]).toMatchObject([201, { readyBy, made: null }])
  }
})

test('the next promise is public for ten seconds, and unavailable while songs does not answer', async () => {
  const visitor = gateway.visitor()
  const read = async () => {
    gateway.clock.pass(1_001)
    const { status, headers } = await visitor.get('/api/promise')
    return [status, headers.get('cache-control'), headers.get('retry-after')]
  }
  expect(await read()).toEqual([200, 'public, max-age=10', null])
  stub.promise.isDown = true
  for (let times = 0; times < 2; times++) expect(await read()).toEqual([503, 'no-store', '2'])
  stub.promise.isDown = false
  expect((await read())[0]).toBe(200)
})

test('readers within the time share one answer; a failure is not kept', async () => {
  let [now, reads] = [1_000, 0]
  const read = sharedAnswer({ now: () => now }, 1_000, async () => {
    if (++reads === 2) throw new Error('down')
    return reads
  })
  expect([read(), read()].map((answer) => answer === read())).toEqual([true, true])
  now += 1_000
  expect(await read()).toBe(1)
  now += 1
  await expect(read()).rejects.toThrow('down')
  expect(await read()).toBe(3)
  now -= 60_000 // the clock was set back
  expect(await read()).toBe(4)
})
