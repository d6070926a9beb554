import { afterAll, beforeAll, expect, test } from 'vitest'
import { briefOf } from '../src/brief.ts'
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

test.for([
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
] as const)('a brief with a wrong %s is refused by its name: %s', async ([name, value]) => {
  const brief = { genre: 'folk', [name]: value }
  expect(await outcome(await ada.post('/api/songs', { lyrics: 'la', style: 'folk', brief }))).toEqual([
    400,
    'invalid_request',
    expect.stringContaining(`brief.${name}`),
  ])
})

test.for([
  [{ voice: 'a\0' }, 400],
  [{ instruments: ['\ud800'] }, 400],
  [{ unknown: 1 }, 201],
  [{ mood: '🎵'.repeat(100), tempoBpm: 240, reference: `https://example.test/${'x'.repeat(479)}` }, 201],
] as const)('the brief %j is answered %i', async ([brief, status]) => {
  expect((await ada.post('/api/songs', { lyrics: 'la', style: 'folk', brief })).status).toBe(status)
})

test.for([
  ['title', 'x'.repeat(121)],
  ['title', 5],
  ['favourite', null],
  ['favourite', 'true'],
  ['preferred', 3],
  ['preferred', '1'],
  ['archived', 1],
] as const)('a song with the %s %j is refused by its name', async ([name, value]) => {
  const body = JSON.stringify({ [name]: value })
  const headers = { 'content-type': 'application/json' }
  expect(await outcome(await ada.send('/api/songs/x', { method: 'PATCH', headers, body }))).toEqual([
    400,
    'invalid_request',
    name,
  ])
})
