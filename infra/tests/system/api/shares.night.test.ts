import type { Share, SharedSong, Song, Waveform } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { beforeAll, expect, test } from 'vitest'
import { both } from '../../support/audio-files.ts'
import {
  caller,
  type Caller,
  expectRefusal,
  giveCredits,
  productOfFile,
  requestSong,
  type Somebody,
  somebody,
  unlockedOperator,
} from '../../support/callers.ts'

/** Links by which people without an account hear a song, from outside. */

const product = productOfFile()
let operator: Somebody
let anyone: Caller
beforeAll(async () => {
  operator = await unlockedOperator(product())
  anyone = caller(product())
})

async function readySong(): Promise<{ owner: Somebody; song: Song }> {
  const owner = await somebody(product(), { name: 'Ada Obi' })
  await giveCredits(operator, owner.uid, 10)
  const { id } = await requestSong(owner, { lyrics: 'la la la', style: 'folk' })
  const { status, body } = await operator.call<Song>('POST', `/api/operator/songs/${id}/fulfil`, {
    raw: both(),
  })
  expect(status).toBe(200)
  return { owner, song: body }
}
const make = <T = Share>(owner: Somebody, { id }: Song, json: unknown = {}) =>
  owner.call<T>('POST', `/api/songs/${id}/shares`, { json })
const tokenOf = ({ url }: Share): string => url.split('/').at(-1) ?? ''
const list = async (owner: Somebody, { id }: Song) =>
  (await owner.call<{ items: Share[] }>('GET', `/api/songs/${id}/shares`)).body.items

test('a link shows and gives what its owner chose', async () => {
  const { owner, song } = await readySong()
  await owner.call('PATCH', `/api/songs/${song.id}`, { json: { title: 'Rain' } })
  const expiresAt = Date.now() + 3_600_000
  const chosen = { versions: [2], lyrics: true, download: true, expiresAt }
  const open = tokenOf((await make(owner, song, chosen)).body)
  const closed = tokenOf((await make(owner, song)).body)
  const { body } = await anyone<SharedSong>('GET', `/api/shares/${open}`)
  expect(body).toMatchObject({ title: 'Rain', lyrics: 'la la la', download: true, expiresAt })
  expect(body.versions.map(({ n }) => n)).toEqual([2])
  for (const version of ['1', '3', 'x'])
    expectRefusal(await anyone('GET', `/api/shares/${open}/versions/${version}`), 404, 'share_not_found')
  const saved = await anyone('GET', `/api/shares/${open}/versions/2?download=1`)
  expect(saved.headers['content-disposition']).toContain('Rain%20%28Version%202%29.')
  expectRefusal(
    await anyone('GET', `/api/shares/${closed}/versions/2?download=1`),
    403,
    'download_not_allowed',
  )
  const part = await anyone('GET', `/api/shares/${closed}/versions/2`, { headers: { range: 'bytes=5-9' } })
  expect([part.status, part.bytes]).toEqual([206, saved.bytes.subarray(5, 10)])
  expect(part.headers).toMatchObject({ 'cache-control': 'private, no-cache', 'accept-ranges': 'bytes' })
  const again = { headers: { 'if-none-match': String(part.headers.etag) } }
  expect((await anyone('GET', `/api/shares/${closed}/versions/2`, again)).status).toBe(304)
  await eventually(async () => {
    const wave = await anyone<Waveform>('GET', `/api/shares/${open}/versions/2/waveform`)
    expect(wave.body.peaks.length).toBeGreaterThan(0)
  })
})

test('plays count GETs from the beginning, once an hour and address', async () => {
  const { owner, song } = await readySong()
  const { body: share } = await make(owner, song)
  const path = `/api/shares/${tokenOf(share)}/versions/1`
  await anyone('HEAD', path)
  await anyone('GET', path, { headers: { range: 'bytes=10-19' } })
  await anyone('GET', path.replace('/versions/1', ''))
  for (const range of ['bytes=0-1', 'bytes=0-', 'bytes=0-99'])
    await anyone('GET', path, { headers: { range } })
  await anyone('GET', path.replace(/1$/, '2'))
  await eventually(async () => expect((await list(owner, song))[0]?.plays).toBe(1))
  // another link of the song counts by itself, and what was counted before it stays so
  const { body: other } = await make(owner, song)
  // a browser that has the file already
  const again = { headers: { 'if-none-match': '*' } }
  expect((await anyone('GET', `/api/shares/${tokenOf(other)}/versions/1`, again)).status).toBe(304)
  await eventually(async () => expect((await list(owner, song)).map(({ plays }) => plays)).toEqual([1, 1]))
})
