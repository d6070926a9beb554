import type { Certificate, Share, Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import jsqr from 'jsqr'
import { beforeAll, expect, test } from 'vitest'
import {
  caller,
  type Caller,
  deliveredSong,
  productOfFile,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { pixelsOf, poppler, textOf } from '../../support/poppler.ts'

/** What people without an account get of a song: its links and its licence. */

// its types describe a CommonJS module; what Node imports is the function
const jsQr = jsqr as unknown as typeof jsqr.default

const product = productOfFile()
let operator: Somebody
let anyone: Caller
beforeAll(async () => {
  operator = await unlockedOperator(product())
  anyone = caller(product())
})

const make = (owner: Somebody, { id }: Song) =>
  owner.call<Share>('POST', `/api/songs/${id}/shares`, { json: {} })
const tokenOf = ({ url }: Share): string => url.split('/').at(-1) ?? ''
const list = async (owner: Somebody, { id }: Song) =>
  (await owner.call<{ items: Share[] }>('GET', `/api/songs/${id}/shares`)).body.items

test('plays count GETs from the beginning, once an hour and address', async () => {
  const { owner, song } = await deliveredSong(product(), operator)
  const { body: share } = await make(owner, song)
  const path = `/api/shares/${tokenOf(share)}/versions/1`
  await anyone('HEAD', path)
  await anyone('GET', path, { headers: { range: 'bytes=10-19' } })
  await anyone('GET', path.replace('/versions/1', ''))
  for (const range of ['bytes=0-1', 'bytes=0-', 'bytes=0-99'])
    await anyone('GET', path, { headers: { range } })
  await anyone('GET', path.replace(/1$/, '2'))
  await eventually(async () => expect((await list(owner, song))[0]?.plays).toBe(1))
  // another link of the song has a count of its own, and what was counted before it stays so
  const { body: other } = await make(owner, song)
  // a browser that has the file already
  const again = { headers: { 'if-none-match': '*' } }
  expect((await anyone('GET', `/api/shares/${tokenOf(other)}/versions/1`, again)).status).toBe(304)
  await eventually(async () => expect((await list(owner, song)).map(({ plays }) => plays)).toEqual([1, 1]))
})

const pdfOf = (who: Somebody, { id }: Song) => who.call('GET', `/api/songs/${id}/certificate.pdf`)
const read = async ({ certificate }: Song): Promise<Certificate> =>
  (await anyone<Certificate>('GET', `/api/certificates/${certificate?.id}`)).body

test('the page has everything, in embedded fonts, and its QR code leads to the check', async () => {
  const { owner, song } = await deliveredSong(product(), operator, {
    name: 'Łukasz Ọládélé Νίκος',
    style: 'Дождь',
  })
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
  const arabic = await deliveredSong(product(), operator, { name: 'محمد' })
  expect(textOf((await pdfOf(arabic.owner, arabic.song)).bytes)).toContain('محمد')
  const chinese = await deliveredSong(product(), operator, { name: '山田太郎' })
  expect(textOf((await pdfOf(chinese.owner, chinese.song)).bytes)).toContain('山田太郎')
})
