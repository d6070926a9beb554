import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { both, FLAC, form, fulfil, MP3, upload, WAV } from '../../support/audio-files.ts'
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

/** How the operator fulfils a song over HTTP: forms, resumable uploads, gifts and replaced versions. */

const product = await sharedProduct()
const operator = await unlockedOperator(product)

const charged = async (): Promise<{ ada: Somebody; song: Song }> => {
  const ada = await somebody(product, { name: 'Ada Obi' })
  await giveCredits(operator, ada.uid, 10)
  return { ada, song: await requestSong(ada) }
}
const FORM = 'multipart/form-data; boundary=x'
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

test('the song is checked before the files, and a refusal leaves it pending without left-over objects', async () => {
  const { song } = await charged()
  const refused = async (
    body: FormData,
    status: number,
    code: Parameters<typeof expectRefusal>[2],
    id = song.id,
  ) => expectRefusal(await fulfil(operator, id, body), status, code, detail[code])
  const detail: Partial<Record<string, string>> = {
    song_not_found: 'Song not found in database.',
    select_song: 'Select a song ID to upload to.',
    both_versions_required: 'Upload both Version 1 and Version 2 MP3 files.',
  }
  const one = { field: 'version1', bytes: MP3 }
  const two = { field: 'version2', bytes: MP3 }
  for (const id of ['-', 'x', '%00', '..%2f..']) await refused(form(), 400, 'select_song', id)
  await refused(form(), 404, 'song_not_found', '00000000-0000-7000-8000-000000000000')
  await refused(form(), 400, 'both_versions_required')
  await refused(form(one), 400, 'both_versions_required')
  await refused(form({ field: 'version3', bytes: MP3 }, two), 400, 'both_versions_required')
  await refused(form(one, { field: 'version2', bytes: Buffer.alloc(0) }), 400, 'both_versions_required')
  const text = form(one)
  text.append('version2', 'not a file')
  await refused(text, 400, 'both_versions_required')
  await refused(form(one, two, one), 400, 'invalid_request')
  for (const bytes of [
    Buffer.from('<html>audio</html>'),
    Buffer.from('ID3\x03\x00\x00\x00\x00\x00\x00', 'latin1'),
    MP3.subarray(0, 600),
    WAV.subarray(0, 60),
    Buffer.concat([Buffer.from('%PDF-1.7\n'), MP3]),
  ])
    await refused(form(one, { field: 'version2', bytes }), 415, 'not_audio')
  const head = (name: string): string => `--x\r\ncontent-disposition: form-data; name="${name}"`
  const fields = Array.from({ length: 101 }, (_, n) => `${head(`f${n}`)}\r\n\r\nx\r\n`).join('')
  for (const [raw, type, status, code] of [
    ['--x\r\nbroken', FORM, 400, 'invalid_request'],
    [`${head('version1')}; filename="a.mp3"\r\n\r\nhalf`, FORM, 400, 'invalid_request'],
    [`${fields}--x--\r\n`, FORM, 400, 'invalid_request'],
    ['a', 'multipart/form-data', 400, 'invalid_request'],
    ['', FORM, 400, 'both_versions_required'],
    [`${head('note')}\r\n\r\nx\r\n--x--\r\n`, FORM, 400, 'both_versions_required'],
    ['--x--\r\n', 'multipart/mixed; boundary=x', 415, 'unsupported_media_type'],
  ] as const) {
    const reply = await operator.call('POST', `/api/operator/songs/${song.id}/fulfil`, {
      raw,
      headers: { 'content-type': type },
    })
    expectRefusal(reply, status, code)
  }
  expectRefusal(
    await operator.call('POST', `/api/operator/songs/${song.id}/fulfil`, {
      raw: 'x',
      headers: { 'content-type': 'audio/mpeg' },
    }),
    415,
    'unsupported_media_type',
  )
  expectRefusal(
    await operator.call('POST', `/api/operator/songs/${song.id}/fulfil`),
    400,
    'both_versions_required',
  )
  expect((await operator.call<Song>('GET', `/api/songs/${song.id}`)).body.status).toBe('pending')
  expect(await objects(song)).toEqual([])
  // it can still be fulfilled; unknown form fields are ignored
  const good = form(one, two, { field: 'note', bytes: Buffer.from('x') })
  good.append('gift', 'true')
  expect((await fulfil(operator, song.id, good)).status).toBe(200)
  expect(await objects(song)).toHaveLength(2)
})

test('a sender that leaves in the middle frees the song at once', async () => {
  const { song } = await charged()
  const { hostname, port } = new URL(product.endpoints.web)
  const leaving = request({
    hostname,
    port,
    method: 'POST',
    path: `/api/operator/songs/${song.id}/fulfil`,
    headers: { cookie: operator.cookie, 'content-type': FORM },
  })
  leaving.on('error', () => {})
  leaving.write('--x\r\ncontent-disposition: form-data; name="version1"; filename="a.mp3"\r\n\r\nhalf')
  await eventually(async () => {
    const files = await readdir(product.dataDir, { recursive: true })
    expect(files.some((path) => /placements\/.*version1$/.test(path))).toBe(true)
  })
  expectRefusal(await fulfil(operator, song.id), 409, 'fulfilment_in_progress')
  leaving.destroy()
  await eventually(async () => expect((await fulfil(operator, song.id)).status).toBe(200))
  expect(await objects(song)).toHaveLength(2)
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

test('finished resumable uploads fulfil a song, once a key; unfinished and unknown ones are refused', async () => {
  const { song } = await charged()
  const send = (json: unknown, headers: Record<string, string> = {}) =>
    operator.call<Song>('POST', `/api/operator/songs/${song.id}/fulfil`, { json, headers })
  const version1 = await upload(operator, MP3, { name: 'söng.mp3' })
  const unfinished = await upload(operator, FLAC.subarray(0, 1000), { length: FLAC.length })
  const text = await upload(operator, Buffer.from('x'.repeat(5000)))
  const refusals: [unknown, number, Parameters<typeof expectRefusal>[2]][] = [
    [{}, 400, 'both_versions_required'],
    [{ version1 }, 400, 'both_versions_required'],
    [{ version1, version2: '' }, 400, 'both_versions_required'],
    [{ version1, version2: null }, 400, 'both_versions_required'],
    [{ version1, version2: 5 }, 400, 'both_versions_required'],
    [{ version1, version2: '../../etc/passwd' }, 404, 'upload_not_found'],
    [{ version1, version2: '00000000-0000-7000-8000-000000000000' }, 404, 'upload_not_found'],
    [{ version1, version2: unfinished }, 409, 'upload_not_finished'],
    [{ version1, version2: text }, 415, 'not_audio'],
    [[], 400, 'invalid_request'],
  ]
  for (const [json, status, code] of refusals) expectRefusal(await send(json), status, code)
  const version2 = await upload(operator, FLAC, { name: 'take.flac' })
  const key = { 'idempotency-key': 'fulfil' }
  const done = await send({ version1, version2 }, key)
  expect([done.status, done.body.status]).toEqual([200, 'ready'])
  const again = await send({ version1, version2 }, key)
  expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([200, done.body, 'true'])
  expectRefusal(await send({ version1, version2 }), 409, 'song_already_ready')
})

test('uploads implement tus with problem documents, resume where they stopped, and can be deleted', async () => {
  const tus = { 'tus-resumable': '1.0.0' }
  const at = '/api/operator/uploads'
  const options = await operator.call('OPTIONS', at)
  expect([options.status, options.headers['tus-version']]).toEqual([204, '1.0.0'])
  expect(options.headers['tus-extension']).toMatch(/creation/)
  expect(options.headers['tus-extension']).toMatch(/termination/)
  const id = await upload(operator, MP3.subarray(0, 1000), { length: MP3.length })
  const head = await operator.call('HEAD', `${at}/${id}`, { headers: tus })
  expect([head.status, head.headers['upload-offset'], head.headers['upload-length']]).toEqual([
    200,
    '1000',
    String(MP3.length),
  ])
  const patch = (offset: number, bytes: Buffer, headers: Record<string, string> = {}) =>
    operator.call('PATCH', `${at}/${id}`, {
      raw: bytes,
      headers: {
        ...tus,
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
        ...headers,
      },
    })
  expectRefusal(await patch(5, MP3), 409, 'invalid_request', expect.any(String) as string)
  expect((await patch(1000, MP3.subarray(1000), { 'content-type': 'text/plain' })).status).toBe(415)
  expect((await patch(1000, MP3.subarray(1000))).status).toBe(204)
  expect((await operator.call('DELETE', `${at}/${id}`, { headers: tus })).status).toBe(204)
  for (const gone of [id, 'x', '..%2f..%2fx', '00000000-0000-7000-8000-000000000000']) {
    const reply = await operator.call('DELETE', `${at}/${gone}`, { headers: tus })
    expectRefusal(reply, reply.status, 'upload_not_found')
    expect([404, 410]).toContain(reply.status)
  }
  const create = (headers: Record<string, string>) =>
    operator.call('POST', at, { headers: { ...tus, ...headers } })
  expect((await create({ 'upload-length': String(200 * 1024 * 1024 + 1) })).status).toBe(413)
  expect((await create({ 'upload-length': String(200 * 1024 * 1024) })).status).toBe(201)
  for (const wrong of [
    {},
    { 'upload-length': '-1' },
    { 'upload-length': 'x' },
    { 'upload-length': '1', 'upload-metadata': 'a b c' },
  ]) {
    const reply = await create(wrong as Record<string, string>)
    expect([wrong, reply.status, reply.headers['content-type']]).toEqual([
      wrong,
      400,
      'application/problem+json; charset=utf-8',
    ])
  }
  expect((await operator.call('POST', at, { headers: { 'upload-length': '1' } })).status).toBe(412)
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
