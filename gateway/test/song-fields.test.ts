import { afterAll, beforeAll, expect, test } from 'vitest'
import { briefOf } from '../src/songs/brief.ts'
import { songsStub } from './stand-ins.ts'
import { type Browser, startGateway, type TestGateway } from './start-gateway.ts'

/** The brief of a request, and what an owner may say about a song at any time. */

let gateway: TestGateway
let ada: Browser

beforeAll(async () => {
  gateway = await startGateway({ services: { songs: songsStub().routes } })
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
