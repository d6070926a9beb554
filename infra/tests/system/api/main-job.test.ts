import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { both, FLAC, fulfil, MP3 } from '../../support/audio-files.ts'
import {
  deliveredSong,
  expectRefusal,
  giveCredits,
  mail,
  requestSong,
  sharedProduct,
  somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { mailsTo } from '../../support/mailbox.ts'

/** The main job over HTTP: a request, its charge, its two files, and what its owner does with them. */

const product = await sharedProduct()
const operator = await unlockedOperator(product)
const ada = await somebody(product)

test('a song has every field of the contract, and waits when there are no credits', async () => {
  const song = await requestSong(ada, { lyrics: 'fields', style: 'folk' })
  expect(song).toEqual({
    id: expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ) as string,
    uid: ada.uid,
    username: 'Ada Obi',
    email: ada.email,
    lyrics: 'fields',
    style: 'folk',
    status: 'pending',
    charged: false,
    charge: 'declined',
    price: null,
    revision: expect.any(Number) as number,
    createdAt: expect.any(Number) as number,
    updatedAt: null,
    title: null,
    favourite: false,
    preferred: null,
    archived: false,
    brief: null,
    promisedAt: null,
    readyBy: null,
    startedAt: null,
    closedAt: null,
    closedReason: null,
    changes: null,
    takes: null,
    made: null,
    messages: { count: 0, unread: 0 },
    acceptedAt: null,
    certificate: null,
    timeline: [
      { state: 'requested', at: song.createdAt },
      { state: 'waiting', at: expect.any(Number) as number },
    ],
    downloadUrl1: null,
    downloadUrl2: null,
  })
})

test('a song costs ten credits, and waiting songs are charged oldest first', async () => {
  const singer = await somebody(product)
  const first = await requestSong(singer, { lyrics: 'first' })
  const second = await requestSong(singer, { lyrics: 'second' })
  expect([first.charge, second.charge]).toEqual(['declined', 'declined'])
  await giveCredits(operator, singer.uid, 19.99)
  const after = await eventually(async () => {
    const { body } = await singer.call<Song>('GET', `/api/songs/${first.id}`)
    expect(body).toMatchObject({ charge: 'charged', charged: true })
    return body
  })
  expect(after.revision).toBeGreaterThan(first.revision)
  expect((await singer.call<Song>('GET', `/api/songs/${second.id}`)).body.charge).toBe('declined')
  expect((await singer.call<{ balance: number }>('GET', '/api/credits')).body.balance).toBe(9.99)
  await giveCredits(operator, singer.uid, 10.01)
  await eventually(async () => {
    expect((await singer.call<Song>('GET', `/api/songs/${second.id}`)).body.charge).toBe('charged')
    expect((await singer.call<{ balance: number }>('GET', '/api/credits')).body.balance).toBe(10)
  })
  expect((await requestSong(singer)).charge).toBe('charged')
})

test('the operator gets one mail a song, with complete lyrics, style and e-mail address; a line break cannot forge a header', async () => {
  const singer = await somebody(product, { name: 'Eve\r\nBcc: all@example.test' })
  const style = `unique-style\r\nBcc: all@example.test`
  await requestSong(singer, { lyrics: 'line one\nline <b>two</b>\n.\nafter the dot', style })
  const notice = await mail(product, 'operator@prelude.test', /unique-style/)
  expect(notice.text.replaceAll('\r\n', '\n')).toContain('line one\nline <b>two</b>\n.\nafter the dot')
  expect(notice.text).toContain(singer.email)
  expect(notice.html).toContain('line &#60;b&#62;two&#60;/b&#62;')
  expect(notice.html).not.toContain('<b>two')
  expect(notice.to).toEqual(['operator@prelude.test'])
  expect(await mailsTo(product, 'all@example.test')).toEqual([])
})

test('both versions make the song ready, with the paths of the spec and one mail to the customer', async () => {
  const owner = await somebody(product, { name: 'Ada Obi' })
  await giveCredits(operator, owner.uid, 10)
  const song = await requestSong(owner)
  const { status, body } = await fulfil(
    operator,
    song.id,
    both('../../Ada’s take (final).mp3', 'réédité\r\n2.flac'),
  )
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: song.id,
    status: 'ready',
    charge: 'charged',
    downloadUrl1: `/api/songs/${song.id}/versions/1`,
    downloadUrl2: `/api/songs/${song.id}/versions/2`,
  })
  expect(body.storagePath1).toMatch(new RegExp(`^songs/${song.id}/version1_[A-Za-z0-9._-]{1,100}\\.mp3$`))
  expect(body.storagePath2).toMatch(new RegExp(`^songs/${song.id}/version2_[A-Za-z0-9._-]{1,100}\\.flac$`))
  expect(body.updatedAt).toBeGreaterThanOrEqual(song.createdAt)
  expect(body.revision).toBeGreaterThan(song.revision)
  const own = await owner.call<Song>('GET', `/api/songs/${song.id}`)
  expect(own.body.status).toBe('ready')
  expect(own.body).not.toHaveProperty('storagePath1')
  const notice = await mail(product, owner.email, /song is ready/i)
  expect(notice.text).toContain('Ada')
  expect(notice.text).toContain(owner.email)
  expectRefusal(await fulfil(operator, song.id), 409, 'song_already_ready')
  expectRefusal(
    await operator.call('POST', `/api/operator/songs/${song.id}/refund`, { json: { reason: 'x' } }),
    409,
    'song_already_ready',
  )
})

test('the waveform is available after the song is ready, and the ZIP has both versions and the texts', async () => {
  const { owner, song } = await deliveredSong(product, operator, { lyrics: 'Ọ̀rọ̀\n\nline', style: 'juju' })
  const path = `/api/songs/${song.id}`
  const url = `${path}/versions/1`
  interface Waveform {
    durationMs: number
    peaks: number[]
    loudnessLufs: number
  }
  const waveform = await eventually(async () => {
    const reply = await owner.call<Waveform>('GET', `${url}/waveform`)
    expect(reply.status).toBe(200)
    return reply.body
  })
  expect(waveform.durationMs).toBeGreaterThan(900)
  expect(waveform.peaks.length).toBeGreaterThan(10)
  for (const peak of waveform.peaks) expect(peak >= 0 && peak <= 1).toBe(true)
  expect(waveform.loudnessLufs).toBeLessThan(0)
  expectRefusal(await owner.call('GET', `${path}/versions/3/waveform`), 404, 'song_not_found')
  expectRefusal(await ada.call('GET', `${url}/waveform`), 404, 'song_not_found')
  const zip = await owner.call('GET', `${path}/download`)
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
