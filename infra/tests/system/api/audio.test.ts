import type { Song } from '@prelude/contracts'
import { beforeAll, expect, test, vi } from 'vitest'
import { both, FLAC, form, fulfil, MP3 } from '../../support/audio-files.ts'
import {
  caller,
  expectRefusal,
  POLL,
  productOfFile,
  requestSong,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'

const product = productOfFile({ STARTING_CREDITS: '50' })
let operator: Somebody
let ada: Somebody
let eve: Somebody
let song: Song
let url: string

beforeAll(async () => {
  operator = await unlockedOperator(product())
  ada = await somebody(product())
  eve = await somebody(product())
  song = await requestSong(ada, { lyrics: 'Ọ̀rọ̀\n\nline', style: 'juju' })
  await fulfil(operator, song.id, both(`Ọ̀rọ̀ 'mi'; "#1".mp3`, `Ọ̀rọ̀ 'mi'; "#1".mp3`))
  url = `/api/songs/${song.id}/versions/1`
})

const read = (headers: Record<string, string> = {}, path = url, method = 'GET') =>
  ada.call<string>(method, path, { headers })

test('the whole audio is served inline with its media type, only to its owner and the unlocked operator', async () => {
  const whole = await read()
  expect(whole.status).toBe(200)
  expect(whole.bytes.equals(MP3)).toBe(true)
  expect(whole.headers).toMatchObject({
    'content-type': 'audio/mpeg',
    'content-length': String(MP3.length),
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
  })
  expect(whole.headers['cache-control']).toMatch(/private/)
  expect(whole.headers['content-disposition'] ?? 'inline').toMatch(/^inline/)
  expect(whole.headers.etag).toMatch(/^"[^"]+"$/)
  expect(whole.headers['content-encoding']).toBeUndefined()
  const second = await read({}, url.replace(/1$/, '2'))
  expect([second.bytes.equals(FLAC), second.headers['content-type']]).toEqual([true, 'audio/flac'])
  const head = await read({}, url, 'HEAD')
  expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([
    200,
    String(MP3.length),
    0,
  ])
  expect((await operator.call('GET', url)).status).toBe(200)
  const locked = await somebody(product(), { email: operator.email, name: 'Olu' })
  for (const stranger of [eve, locked]) expectRefusal(await stranger.call('GET', url), 404, 'song_not_found')
  expectRefusal(await caller(product())('GET', url), 401, 'not_signed_in')
})

test('ranges: a single one, from the end, past the end, invalid and several', async () => {
  const size = MP3.length
  const parts: [string, number, number?, number?][] = [
    ['bytes=0-0', 206, 0, 0],
    ['bytes=10-19', 206, 10, 19],
    [`bytes=${size - 1}-`, 206, size - 1, size - 1],
    ['bytes=-7', 206, size - 7, size - 1],
    [`bytes=-${size * 2}`, 206, 0, size - 1],
    [`bytes=5-${size * 9}`, 206, 5, size - 1],
    [`bytes=${size}-`, 416],
    ['bytes=99999999999999999999-', 416],
    ['bytes=-0', 416],
    ['bytes=9-3', 200],
    ['bytes=a-b', 200],
    ['items=0-1', 200],
    ['bytes=', 200],
    ['bytes=0-1,5-6', 200],
  ]
  for (const [range, status, start = 0, end = size - 1] of parts) {
    const reply = await read({ range })
    expect([range, reply.status]).toEqual([range, status])
    if (status === 416) {
      expect(reply.headers['content-range']).toBe(`bytes */${size}`)
      continue
    }
    expect(reply.bytes.equals(MP3.subarray(start, end + 1))).toBe(true)
    expect(reply.headers['content-length']).toBe(String(end - start + 1))
    expect(reply.headers['content-range']).toBe(status === 206 ? `bytes ${start}-${end}/${size}` : undefined)
  }
})

test('conditions: a matching If-None-Match is 304, and If-Range with another etag gets the whole file', async () => {
  const { etag = '' } = (await read()).headers
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const reply = await read({ 'if-none-match': known })
    expect([known, reply.status, reply.bytes.length, reply.headers.etag]).toEqual([known, 304, 0, etag])
  }
  expect((await read({ 'if-none-match': '"other"' })).status).toBe(200)
  expect((await read({ 'if-none-match': etag, range: 'bytes=0-1' })).status).toBe(304)
  expect((await read({ 'if-range': etag, range: 'bytes=0-1' })).status).toBe(206)
  for (const other of ['"other"', `W/${etag}`, 'Tue, 15 Nov 1994 12:45:26 GMT'])
    expect([other, (await read({ 'if-range': other, range: 'bytes=0-1' })).status]).toEqual([other, 200])
})

test('a download has a file name from its song, with the number of its version', async () => {
  const names = await Promise.all(
    ['1', '2'].map(async (n) => (await read({}, `/api/songs/${song.id}/versions/${n}?download=1`)).headers),
  )
  expect(names[0]?.['content-disposition']).toMatch(
    /^attachment; filename="[A-Za-z0-9._-]+ \(1\)\.mp3"; filename\*=UTF-8''[A-Za-z0-9%._~-]+$/,
  )
  const decoded = names.map((headers) =>
    decodeURIComponent(/filename\*=UTF-8''(.*)$/.exec(headers['content-disposition'] ?? '')?.[1] ?? ''),
  )
  expect(decoded).toEqual([`Ọ̀rọ̀ 'mi'; "#1" (1).mp3`, `Ọ̀rọ̀ 'mi'; "#1" (2).mp3`])
  expect((await read({}, `${url}?download=0`)).headers['content-disposition'] ?? 'inline').toMatch(/^inline/)
  expectRefusal(await ada.call('GET', `${url}?download=yes`), 400, 'invalid_request')
  const part = await read({ range: 'bytes=0-9' }, `${url}?download=1`)
  expect([part.status, part.headers['content-disposition']?.startsWith('attachment')]).toEqual([206, true])
})

test.for([
  ['../../../etc/passwd', 'passwd.mp3'],
  ['C:\\music\\take.mp3', 'take.mp3'],
  ['a\r\nSet-Cookie: x=1.mp3', /^a.*Set-Cookie.*\.mp3$/],
  ['%2e%2e%2fx.mp3', /x\.mp3$/],
  ['…', /^audio\.mp3$/],
  ['x'.repeat(300) + '.mp3', /^x{80,96}\.mp3$/],
  ['song.exe', /\.mp3$/],
  ['.htaccess', /^htaccess\.mp3$/],
] as [string, string | RegExp][])(
  'a file called %j cannot escape its folder or break a header',
  async ([name, safe]) => {
    const own = await requestSong(ada)
    const { status, body } = await fulfil(
      operator,
      own.id,
      form({ field: 'version1', bytes: MP3, name }, { field: 'version2', bytes: FLAC, name: 'b.flac' }),
      own.charge === 'charged' ? '' : '?gift=true',
    )
    expect(status).toBe(200)
    expect(body.storagePath1).toMatch(/^songs\/[0-9a-f-]{36}\/version1_[A-Za-z0-9._-]{1,100}$/)
    const saved = await read({}, `/api/songs/${own.id}/versions/1?download=1`)
    expect(saved.headers['set-cookie']).toBeUndefined()
    const plain = /filename="([^"]*)"/.exec(saved.headers['content-disposition'] ?? '')?.[1]
    expect(plain).toMatch(/^[A-Za-z0-9._-]+$/)
    if (typeof safe === 'string') expect(plain).toBe(safe)
    else expect(plain).toMatch(safe)
  },
)

test('the waveform is available after the song is ready, and the ZIP has both versions and the texts', async () => {
  interface Waveform {
    durationMs: number
    peaks: number[]
    loudnessLufs: number
  }
  const waveform = await vi.waitFor(async () => {
    const reply = await ada.call<Waveform>('GET', `${url}/waveform`)
    expect(reply.status).toBe(200)
    return reply.body
  }, POLL)
  expect(waveform.durationMs).toBeGreaterThan(900)
  expect(waveform.peaks.length).toBeGreaterThan(10)
  for (const peak of waveform.peaks) expect(peak >= 0 && peak <= 1).toBe(true)
  expect(waveform.loudnessLufs).toBeLessThan(0)
  expectRefusal(await ada.call('GET', `/api/songs/${song.id}/versions/3/waveform`), 404, 'song_not_found')
  expectRefusal(await eve.call('GET', `${url}/waveform`), 404, 'song_not_found')
  const zip = await read({}, `/api/songs/${song.id}/download`)
  expect([zip.status, zip.headers['content-type']]).toEqual([200, 'application/zip'])
  expect(zip.headers['content-length']).toBe(String(zip.bytes.length))
  expect(zip.headers['content-disposition']).toMatch(/^attachment; filename="[^"]+\.zip"/)
  expect(zip.bytes.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04')
  for (const inside of [
    Buffer.from('lyrics.txt'),
    Buffer.from('style.txt'),
    Buffer.from(song.lyrics),
    MP3,
    FLAC,
  ])
    expect(zip.bytes.includes(inside)).toBe(true)
})
