import type { Problem, Song } from '@prelude/contracts'
import { beforeAll, expect, test } from 'vitest'
import { fulfil } from '../../support/audio-files.ts'
import {
  expectRefusal,
  giveCredits,
  mail,
  productOfFile,
  type Somebody,
  somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { readZip } from './read-zip.ts'

/** What a person says about a song beside lyrics and style, from outside. */

const product = productOfFile()
let operator: Somebody
beforeAll(async () => void (operator = await unlockedOperator(product())))

const BRIEF = {
  genre: 'highlife',
  mood: '🎵'.repeat(100),
  tempoBpm: 240,
  voice: 'female, warm',
  language: 'Yorùbá',
  instruments: Array.from({ length: 12 }, (_, n) => `horn ${n}`),
  reference: `https://example.test/${'x'.repeat(479)}`,
  keepWords: false,
}
const submit = <T = Song>(person: Somebody, brief: unknown, style = 'folk') =>
  person.call<T>('POST', '/api/songs', { json: { lyrics: 'la', style, brief } })

test('a brief is kept: for its owner, the operator, the mail, the ZIP and the export', async () => {
  const owner = await somebody(product())
  await giveCredits(operator, owner.uid, 10)
  const { status, body } = await submit(owner, BRIEF, 'with a brief')
  expect([status, body.brief]).toEqual([201, BRIEF])
  const path = `/api/songs/${body.id}`
  expect((await owner.call<Song>('GET', path)).body.brief).toEqual(BRIEF)
  expect((await operator.call<Song>('GET', path)).body.brief).toEqual(BRIEF)
  const announced = await mail(product(), operator.email, /with a brief/)
  for (const said of ['highlife', '240', 'Yorùbá', 'horn 11', BRIEF.reference])
    expect(announced.text).toContain(said)
  await fulfil(operator, body.id)
  const zip = readZip((await owner.call('GET', `${path}/download`)).bytes)
  expect(String(zip.get('brief.txt'))).toContain('Tempo (BPM): 240\n')
  const archive = readZip((await owner.call('GET', '/api/account/export')).bytes)
  const texts = [...archive].filter(([name]) => name.endsWith('/brief.txt')).map(([, text]) => String(text))
  expect(texts).toEqual([String(zip.get('brief.txt'))])
  expect(String(archive.get('account.json'))).toContain('"language":"Yorùbá"')
})

test('nothing of it must be said: null and empty are as absent', async () => {
  const owner = await somebody(product())
  const none = { genre: null, mood: ' ', tempoBpm: null, instruments: [], reference: null, keepWords: null }
  for (const brief of [undefined, null, {}, none, { unknown: 1 }])
    expect((await submit(owner, brief)).body.brief).toBeNull()
  const { body } = await submit(owner, { genre: 'jazz', mood: null, instruments: ['', 'bass'] })
  expect(body.brief).toEqual({ genre: 'jazz', instruments: ['bass'] })
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
] as const)('a wrong %s is refused by its name: %s', async ([name, value]) => {
  const refused = await submit<Problem>(operator, { genre: 'folk', [name]: value })
  expectRefusal(refused, 400, 'invalid_request')
  expect(refused.body.errors?.map(({ path }) => path).join(' ')).toContain(`brief.${name}`)
})

test('text that cannot be stored is refused at any depth', async () => {
  for (const brief of [{ voice: 'a\0' }, { instruments: ['\ud800'] }])
    expectRefusal(await submit<Problem>(operator, brief), 400, 'invalid_text')
})
