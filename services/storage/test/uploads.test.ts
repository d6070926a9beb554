import { MAX_AUDIO_BYTES, type Placed, type Problem, storageApi, UPLOAD_SILENCE_MS } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import Fastify from 'fastify'
import { stat } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fixture } from './fixtures.ts'
import { startStorage, type Storage } from './system.ts'

const TUS = { 'tus-resumable': '1.0.0' }
const OFFSET = 'application/offset+octet-stream'

async function create(storage: Storage, sizeBytes: number, name = 'song.mp3'): Promise<string> {
  const reply = await storage.inject({
    method: 'POST',
    url: '/uploads',
    headers: {
      ...TUS,
      'upload-length': String(sizeBytes),
      'upload-metadata': `filename ${Buffer.from(name).toString('base64')},filetype ${btoa('audio/mpeg')}`,
    },
  })
  expect(reply.statusCode).toBe(201)
  return String(reply.headers['location'])
}

const send = (storage: Storage, url: string, offset: number, payload: Buffer | Readable) =>
  storage.inject({
    method: 'PATCH',
    url,
    headers: { ...TUS, 'content-type': OFFSET, 'upload-offset': String(offset) },
    payload,
  })

const offsetOf = async (storage: Storage, url: string) =>
  (await storage.inject({ method: 'HEAD', url, headers: TUS })).headers['upload-offset']

async function upload(storage: Storage, bytes: Buffer, name?: string): Promise<string> {
  const url = await create(storage, bytes.length, name)
  expect((await send(storage, url, 0, bytes)).statusCode).toBe(204)
  return url.slice('/uploads/'.length)
}

test('the server says what it can', async () => {
  await using storage = await startStorage()
  const reply = await storage.inject({ method: 'OPTIONS', url: '/uploads' })
  expect(reply.statusCode).toBe(204)
  expect(reply.headers).toMatchObject({ 'tus-version': '1.0.0', 'tus-max-size': String(MAX_AUDIO_BYTES) })
  expect(reply.headers['tus-extension']).toMatch(/creation.*termination/)
  expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('an upload goes on where it stopped', async () => {
  await using storage = await startStorage()
  const bytes = await fixture('cbr.mp3')
  const url = await create(storage, bytes.length)
  expect(url).toMatch(/^\/uploads\/[0-9a-f-]{36}$/)
  expect(await offsetOf(storage, url)).toBe('0')
  const first = await send(storage, url, 0, bytes.subarray(0, 1000))
  expect([first.statusCode, first.headers['upload-offset']]).toEqual([204, '1000'])
  expect(first.headers['upload-expires']).toBeDefined()
  const again = await send(storage, url, 0, bytes)
  expect([again.statusCode, again.headers['content-type']]).toEqual([
    409,
    'application/problem+json; charset=utf-8',
  ])
  expect((await send(storage, url, 1000, bytes.subarray(1000))).headers['upload-offset']).toBe(
    String(bytes.length),
  )
})

test('what came before a connection broke is kept', async () => {
  await using storage = await startStorage()
  const app = Fastify()
  await storage.service.routes(app)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const url = await create(storage, 100_000)
  const sending = httpRequest(`${address}${url}`, {
    method: 'PATCH',
    headers: { ...TUS, 'content-type': OFFSET, 'upload-offset': '0', 'content-length': 100_000 },
  })
  sending.on('error', () => {})
  sending.write(Buffer.alloc(40_000))
  await eventually(async () => expect(await offsetOf(storage, url)).toBe('40000'))
  sending.destroy()
  await eventually(async () =>
    expect((await send(storage, url, 40_000, Buffer.alloc(60_000))).statusCode).toBe(204),
  )
  await app.close()
})

test('a sender that goes silent is ended; what came is kept, and the upload goes on', async () => {
  await using storage = await startStorage()
  const url = await create(storage, 100_000)
  const silent = new Readable({ read() {} })
  silent.push(Buffer.alloc(40_000))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sending = send(storage, url, 0, silent)
  // it is being read, so that its silence is measured
  await eventually(async () => expect((await stat(join(storage.stagingDir, url))).size).toBe(40_000))
  vi.advanceTimersByTime(UPLOAD_SILENCE_MS + 15_000)
  await expect(sending).rejects.toMatchObject({ code: 'request_timeout' })
  vi.useRealTimers()
  await eventually(async () => expect(await offsetOf(storage, url)).toBe('40000'))
  expect((await send(storage, url, 40_000, Buffer.alloc(60_000))).statusCode).toBe(204)
})

const WRONG: [string, Parameters<Storage['inject']>[0], number][] = [
  ['no version of the protocol', { method: 'POST', url: '/uploads', headers: { 'upload-length': '5' } }, 412],
  ['no length', { method: 'POST', url: '/uploads', headers: TUS }, 400],
  [
    'more than 200 MiB',
    { method: 'POST', url: '/uploads', headers: { ...TUS, 'upload-length': String(MAX_AUDIO_BYTES + 1) } },
    413,
  ],
  [
    'bad metadata',
    {
      method: 'POST',
      url: '/uploads',
      headers: { ...TUS, 'upload-length': '5', 'upload-metadata': 'a b c' },
    },
    400,
  ],
  [
    'an extension that is not offered',
    {
      method: 'POST',
      url: '/uploads',
      headers: { ...TUS, 'upload-length': '5', 'upload-concat': 'partial' },
    },
    400,
  ],
  [
    'a chunk that does not say where it begins',
    {
      method: 'PATCH',
      url: `/uploads/${newId()}`,
      headers: { ...TUS, 'content-type': OFFSET },
      payload: 'x',
    },
    400,
  ],
  ['an unknown id', { method: 'HEAD', url: `/uploads/${newId()}`, headers: TUS }, 404],
  ['an id that leads elsewhere', { method: 'HEAD', url: '/uploads/..%2Fplacements', headers: TUS }, 404],
  ['deleting an unknown id', { method: 'DELETE', url: `/uploads/${newId()}`, headers: TUS }, 404],
  [
    'another content type',
    {
      method: 'PATCH',
      url: `/uploads/${newId()}`,
      headers: { ...TUS, 'upload-offset': '0', 'content-type': 'text/plain' },
      payload: 'x',
    },
    415,
  ],
]
test('what is against the protocol is refused with a problem', async () => {
  await using storage = await startStorage()
  for (const [what, request, status] of WRONG) {
    const reply = await storage.inject(request)
    expect([what, reply.statusCode, reply.headers['tus-resumable']]).toEqual([what, status, '1.0.0'])
    expect(request.method === 'HEAD' ? { status } : reply.json<Problem>()).toMatchObject({ status })
  }
})

test('a chunk may be the whole file, and no more than that', async () => {
  await using storage = await startStorage()
  const size = 40 * 1024 * 1024
  const whole = await send(storage, await create(storage, size), 0, Buffer.alloc(size))
  expect([whole.statusCode, whole.headers['upload-offset']]).toEqual([204, String(size)])
  const more = await send(storage, await create(storage, size), 0, Buffer.alloc(size + 1))
  expect([more.statusCode, more.json<Problem>().code]).toEqual([413, 'file_too_large'])
})

test('over HTTP a refused chunk is read to its end, so that its sender sees the answer', async () => {
  await using storage = await startStorage()
  const app = Fastify()
  await storage.service.routes(app)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const url = await create(storage, MAX_AUDIO_BYTES)
  const status = await new Promise((resolve, reject) => {
    const headers = { ...TUS, 'content-type': OFFSET, 'upload-offset': '7' }
    const sending = httpRequest(`${address}${url}`, { method: 'PATCH', headers }, (response) => {
      response.resume()
      sending.on('finish', () => resolve(response.statusCode))
      if (sending.writableFinished) resolve(response.statusCode)
    })
    sending.on('error', reject)
    Readable.from(Array.from({ length: 16 }, () => Buffer.alloc(1024 * 1024))).pipe(sending)
  })
  expect(status).toBe(409)
  await app.close()
})

test('a terminated upload is gone', async () => {
  await using storage = await startStorage()
  const id = await upload(storage, await fixture('vbr.mp3'))
  const reply = await storage.inject({ method: 'DELETE', url: `/uploads/${id}`, headers: TUS })
  expect(reply.statusCode).toBe(204)
  expect(await storage.staged()).toEqual([])
})

const pathsOf = ({ objects }: Placed): string[] => objects.map(({ path }) => path)

test('finished uploads are placed under the names they were given, and stay until they are deleted', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const version1 = await upload(storage, await fixture('cbr.mp3'), 'Größe.mp3')
  const version2 = await upload(storage, await fixture('vbr.mp3'), '../two.mp3')
  const placed = await storage
    .api(storageApi)
    .placeUploads({ params: { songId }, body: { version1, version2 } })
  expect(pathsOf(placed)).toEqual([`songs/${songId}/version1_Groe.mp3`, `songs/${songId}/version2_two.mp3`])
  expect(await storage.staged()).toHaveLength(4)
  for (const id of [version1, version2])
    await storage.inject({ method: 'DELETE', url: `/uploads/${id}`, headers: TUS })
  expect(await storage.staged()).toEqual([])
  expect((await storage.audio(pathsOf(placed)[0])).rawPayload).toEqual(await fixture('cbr.mp3'))
})

test('where one version is enough, an empty one counts as none', async () => {
  await using storage = await startStorage()
  const version1 = (await create(storage, 0)).slice('/uploads/'.length)
  const version2 = await upload(storage, await fixture('cbr.mp3'))
  const placing = storage.api(storageApi)
  const made = { 2: { how: 'ai', with: null } } as const
  const body = { version1, least: 1, made } as const
  const params = { songId: newId() }
  await expect(placing.placeUploads({ params, body })).rejects.toMatchObject({ code: 'version_required' })
  for (const [wrong, code] of [
    [null, 'invalid_request'],
    [{ 1: null }, 'invalid_request'],
    [{ 2: { how: 'ai', with: '\ud800' } }, 'invalid_text'],
  ] as const)
    await expect(
      placing.placeUploads({ params, body: { ...body, version2, made: wrong } }),
    ).rejects.toMatchObject({ code })
  expect(await placing.placeUploads({ params, body: { ...body, version2 } })).toMatchObject({
    versions: [2],
    objects: [{ made: made[2] }],
  })
})

test('uploads that cannot be placed are refused and stay usable', async () => {
  await using storage = await startStorage()
  const good = await upload(storage, await fixture('cbr.mp3'))
  const half = (await create(storage, 5000)).slice('/uploads/'.length)
  const empty = await upload(storage, Buffer.alloc(0)).catch(() => '')
  const text = await upload(storage, Buffer.from('la '.repeat(3000)))
  const attempts: [string, number, string][] = [
    [newId(), 404, 'upload_not_found'],
    ['../../etc/passwd', 404, 'upload_not_found'],
    [half, 409, 'upload_not_finished'],
    [text, 415, 'not_audio'],
    ...(empty === '' ? [] : [[empty, 400, 'both_versions_required'] as [string, number, string]]),
  ]
  for (const [version2, status, code] of attempts) {
    const reply = await storage.inject({
      method: 'POST',
      url: `/songs/${newId()}/placements/from-uploads`,
      payload: { version1: good, version2 },
    })
    expect([reply.statusCode, reply.json<Problem>().code]).toEqual([status, code])
  }
  expect(await storage.objects()).toEqual([])
  const placed: Placed = await storage
    .api(storageApi)
    .placeUploads({ params: { songId: newId() }, body: { version1: good, version2: good } })
  expect(placed.objects).toHaveLength(2)
})
