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
import { readZip } from './read-zip.ts'

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

test('a link is made, opened by anyone, and dead as soon as it is ended', async () => {
  const { owner, song } = await readySong()
  const { status, body: share } = await make(owner, song)
  expect([status, share]).toEqual([
    201,
    {
      id: expect.any(String) as string,
      url: expect.stringMatching(new RegExp(`^${product().endpoints.web}/s/[A-Za-z0-9_-]{22}$`)) as string,
      versions: [1, 2],
      lyrics: false,
      download: false,
      expiresAt: null,
      plays: 0,
      createdAt: expect.any(Number) as number,
      endedAt: null,
    },
  ])
  const path = `/api/shares/${tokenOf(share)}`
  const shown = await anyone<SharedSong>('GET', path)
  expect([shown.status, shown.body]).toEqual([
    200,
    {
      title: 'folk',
      artist: 'Ada',
      versions: [1, 2].map((n) => ({ n, durationMs: expect.any(Number) as number })),
      lyrics: null,
      download: false,
      expiresAt: null,
    },
  ])
  expect(JSON.stringify([shown.body, shown.headers])).not.toMatch(
    new RegExp(`${owner.uid}|${owner.email}|Obi`),
  )
  expect((await anyone('GET', `${path}/versions/1`)).status).toBe(200)
  for (const _ of [1, 2]) expect((await owner.call('DELETE', `/api/shares/${share.id}`)).status).toBe(204)
  for (const end of ['', '/versions/1', '/versions/2/waveform'])
    expectRefusal(await anyone('GET', `${path}${end}`), 410, 'share_ended')
  expect((await list(owner, song)).map(({ id, endedAt }) => [id, endedAt !== null])).toEqual([
    [share.id, true],
  ])
})

test('a link needs no choices: nothing sent is as good as none of them', async () => {
  const { owner, song } = await readySong()
  const path = `/api/songs/${song.id}/shares`
  const { status, body } = await owner.call<Share>('POST', path)
  expect([status, body]).toMatchObject([201, { versions: [1, 2], lyrics: false, download: false }])
  expectRefusal(await owner.call('POST', path, { raw: '{}' }), 415, 'unsupported_media_type')
})

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

test('what a link cannot be is refused by name, and nobody but the owner makes, lists or ends links', async () => {
  const { owner, song } = await readySong()
  for (const [json, at] of [
    [{ versions: [] }, 'versions'],
    [{ versions: [3] }, 'versions'],
    [{ versions: [1, 1] }, 'versions'],
    [{ lyrics: null }, 'lyrics'],
    [{ download: 'yes' }, 'download'],
    [{ expiresAt: Date.now() - 1 }, 'expiresAt'],
    [{ expiresAt: 1.5 }, 'expiresAt'],
    [{ expiresAt: 1e300 }, 'expiresAt'],
  ] as const) {
    const refused = await make<unknown>(owner, song, json)
    expectRefusal(refused, 400, 'invalid_request')
    expect(JSON.stringify(refused.body)).toContain(at)
  }
  const { body: share } = await make(owner, song)
  for (const other of [await somebody(product()), operator]) {
    expectRefusal(await make<unknown>(other, song), 404, 'song_not_found')
    expectRefusal(await other.call('GET', `/api/songs/${song.id}/shares`), 404, 'song_not_found')
    expectRefusal(await other.call('DELETE', `/api/shares/${share.id}`), 404, 'share_not_found')
  }
  expectRefusal(await anyone('DELETE', `/api/shares/${share.id}`), 401, 'not_signed_in')
  expectRefusal(await owner.call('DELETE', '/api/shares/nope'), 404, 'share_not_found')
  for (const token of [share.id, 'x'.repeat(22), 'nope', `${tokenOf(share)}A`, '%00'])
    expectRefusal(await anyone('GET', `/api/shares/${token}`), 404, 'share_not_found')
  expectRefusal(await make<unknown>(owner, await requestSong(owner)), 409, 'song_not_ready')
  for (let made = 1; made < 20; made++) expect((await make(owner, song)).status).toBe(201)
  expectRefusal(await make<unknown>(owner, song), 409, 'too_many_shares')
})

test('links are in the export, and end with a refund and with the account', async () => {
  const { owner, song } = await readySong()
  const { body: share } = await make(owner, song)
  const archive = readZip((await owner.call('GET', '/api/account/export')).bytes)
  expect(String(archive.get('account.json'))).toContain(share.url)
  const json = { reason: 'noise', delivered: true }
  await operator.call('POST', `/api/operator/songs/${song.id}/refund`, { json })
  expectRefusal(await anyone('GET', `/api/shares/${tokenOf(share)}`), 410, 'share_ended')
  expectRefusal(await make<unknown>(owner, song), 409, 'song_not_charged')

  const second = await readySong()
  const { body: other } = await make(second.owner, second.song)
  const closing = await second.owner.call('GET', '/api/account/closing')
  await second.owner.call('POST', '/api/account/close', { json: closing.body })
  await eventually(async () =>
    expectRefusal(await anyone('GET', `/api/shares/${tokenOf(other)}`), 410, 'share_ended'),
  )
  expect(product().checkInvariants()).toContain(' 0 broken')
  expect(product().output()).not.toContain(tokenOf(other))
})
