import type { Certificate, Song } from '@prelude/contracts'
import jsqr from 'jsqr'
import { beforeAll, expect, test } from 'vitest'
import { both } from '../../support/audio-files.ts'
import {
  caller,
  type Caller,
  giveCredits,
  productOfFile,
  requestSong,
  type Somebody,
  somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { pixelsOf, poppler, textOf } from '../../support/poppler.ts'

/** The licence of a song, from outside. */

// its types describe a CommonJS module; what Node imports is the function
const jsQr = jsqr as unknown as typeof jsqr.default

const product = productOfFile()
let operator: Somebody
let anyone: Caller
beforeAll(async () => {
  operator = await unlockedOperator(product())
  anyone = caller(product())
})

async function readySong(name: string, style = 'folk'): Promise<{ owner: Somebody; song: Song }> {
  const owner = await somebody(product(), { name })
  await giveCredits(operator, owner.uid, 10)
  const { id } = await requestSong(owner, { lyrics: 'la la la', style })
  const sending = { raw: both() }
  const { status, body } = await operator.call<Song>('POST', `/api/operator/songs/${id}/fulfil`, sending)
  expect(status).toBe(200)
  return { owner, song: body }
}
const pdfOf = (who: Somebody, { id }: Song) => who.call('GET', `/api/songs/${id}/certificate.pdf`)
const read = async ({ certificate }: Song): Promise<Certificate> =>
  (await anyone<Certificate>('GET', `/api/certificates/${certificate?.id}`)).body

test('the page has everything, in embedded fonts, and its QR code leads to the check', async () => {
  const { owner, song } = await readySong('Łukasz Ọládélé Νίκος', 'Дождь')
  const { status, headers, bytes } = await pdfOf(owner, song)
  expect([status, headers['content-type']]).toEqual([200, 'application/pdf'])
  const text = textOf(bytes)
  const { files } = await read(song)
  for (const said of [
    'Licence',
    'Łukasz Ọládélé Νίκος',
    'Дождь',
    song.certificate?.id,
    song.certificate?.url,
    ...files.map((file) => file.sha256),
    'may be used commercially',
    'no registration of a copyright',
    'The check does not cover it.',
  ])
    expect(text).toContain(said)
  const facts = String(poppler('pdfinfo', bytes, []))
  expect(facts).toMatch(/Tagged: +yes/)
  expect(facts).toMatch(/Pages: +1\n/)
  const fonts = String(poppler('pdffonts', bytes, []))
    .trim()
    .split('\n')
    .slice(2)
  expect(fonts.length).toBeGreaterThan(0)
  for (const font of fonts) expect(font).toMatch(/ yes yes yes +\d/) // embedded, subset, with its characters
  const { data, width, height } = pixelsOf(bytes)
  expect(jsQr(data, width, height)?.data).toBe(song.certificate?.url)
})

test('names in Arabic are written from right to left; others are at least in the text', async () => {
  const arabic = await readySong('محمد')
  expect(textOf((await pdfOf(arabic.owner, arabic.song)).bytes)).toContain('محمد')
  const chinese = await readySong('山田太郎')
  expect(textOf((await pdfOf(chinese.owner, chinese.song)).bytes)).toContain('山田太郎')
})
