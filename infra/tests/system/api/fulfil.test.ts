import { readdir } from 'node:fs/promises'
import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { both, form, fulfil, WAV } from '../../support/audio-files.ts'
import {
  expectRefusal,
  giveCredits,
  mail,
  requestSong,
  sharedProduct,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { balanceIs } from '../../support/checkout.ts'

/** How the operator fulfils a song over HTTP: forms, gifts and replaced versions. */

const product = await sharedProduct()
const operator = await unlockedOperator(product)

const charged = async (): Promise<{ ada: Somebody; song: Song }> => {
  const ada = await somebody(product, { name: 'Ada Obi' })
  await giveCredits(operator, ada.uid, 10)
  return { ada, song: await requestSong(ada) }
}
const objects = async (song: Song): Promise<string[]> => {
  const all = await readdir(product.dataDir, { recursive: true })
  return all
    .filter((path) => path.includes(`songs/${song.id}/version`) && !path.includes('sidecar/'))
    .map((path) => path.split('/').at(-1) ?? '')
}

test('both versions make the song ready, with the paths of the spec and one mail to the customer', async () => {
  const { ada, song } = await charged()
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
  const own = await ada.call<Song>('GET', `/api/songs/${song.id}`)
  expect(own.body.status).toBe('ready')
  expect(own.body).not.toHaveProperty('storagePath1')
  const notice = await mail(product, ada.email, /song is ready/i)
  expect(notice.text).toContain('Ada')
  expect(notice.text).toContain(ada.email)
  expectRefusal(await fulfil(operator, song.id), 409, 'song_already_ready')
  expectRefusal(
    await operator.call('POST', `/api/operator/songs/${song.id}/refund`, { json: { reason: 'x' } }),
    409,
    'song_already_ready',
  )
})

test('a waiting song can be fulfilled only as a gift, which is never charged; a charged gift is refunded', async () => {
  const ada = await somebody(product)
  const waiting = await requestSong(ada)
  expectRefusal(await fulfil(operator, waiting.id), 409, 'song_not_charged')
  expectRefusal(await fulfil(operator, waiting.id, both(), '?gift=false'), 409, 'song_not_charged')
  expectRefusal(await fulfil(operator, waiting.id, both(), '?gift=1'), 400, 'invalid_request')
  const { body } = await fulfil(operator, waiting.id, both(), '?gift=true')
  expect(body).toMatchObject({ status: 'ready', charge: 'gift', charged: false })
  await giveCredits(operator, ada.uid, 10)
  await balanceIs(ada, 10)
  await mail(product, ada.email, /song is ready/i)

  const paid = await requestSong(ada)
  await balanceIs(ada, 0)
  const refunded = await operator.call<Song>('POST', `/api/operator/songs/${paid.id}/refund`, {
    json: { reason: 'x' },
  })
  expect(refunded.body.charge).toBe('refunded')
  expectRefusal(await fulfil(operator, paid.id), 409, 'song_not_charged')
  const gift = await fulfil(operator, paid.id, both(), '?gift=true')
  expect(gift.body).toMatchObject({ status: 'ready', charged: false })
  await balanceIs(ada, 10)
})

test('one version of a ready song can be replaced, without a mail; the old object is removed', async () => {
  const { ada, song } = await charged()
  const replace = (n: string, raw?: FormData) =>
    operator.call<Song>('PUT', `/api/operator/songs/${song.id}/versions/${n}`, { ...(raw && { raw }) })
  const file = form({ field: 'file', bytes: WAV, name: 'better.wav' })
  expectRefusal(await replace('1', file), 409, 'song_not_ready')
  const ready = (await fulfil(operator, song.id)).body
  for (const n of ['0', '3', 'x', '01']) expect((await replace(n, file)).status).toBe(404)
  expectRefusal(await replace('1'), 400, 'file_required')
  expectRefusal(await replace('1', form()), 400, 'file_required')
  expectRefusal(await replace('1', form({ field: 'version1', bytes: WAV })), 400, 'file_required')
  expectRefusal(await replace('1', form({ field: 'file', bytes: Buffer.from('x') })), 415, 'not_audio')
  const { status, body } = await replace('1', file)
  expect(status).toBe(200)
  expect(body.storagePath1).toMatch(/version1_better.*\.wav$/)
  expect(body.storagePath2).toBe(ready.storagePath2)
  expect(body.revision).toBeGreaterThan(ready.revision)
  expect(body.updatedAt).toBeGreaterThanOrEqual(ready.updatedAt ?? 0)
  const audio = await ada.call<string>('GET', `/api/songs/${song.id}/versions/1`)
  expect(audio.bytes.equals(WAV)).toBe(true)
  await eventually(async () => {
    const names = await objects(song)
    expect(names).toHaveLength(2)
    expect(names.join()).toContain('better')
  })
  await mail(product, ada.email, /song is ready/i)
  expectRefusal(
    await operator.call('PUT', '/api/operator/songs/00000000-0000-7000-8000-000000000000/versions/1', {
      raw: file,
    }),
    404,
    'song_not_found',
    'Song not found in database.',
  )
})
