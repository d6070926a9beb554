import type { Problem } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import Fastify from 'fastify'
import { readdir, readlink } from 'node:fs/promises'
import { get as httpGet } from 'node:http'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { fixture, silentWav } from './fixtures.ts'
import { formOf, startStorage, type Storage } from './system.ts'

const one = await fixture('cbr.mp3')
const two = await fixture('vbr.mp3')

const audioOf = (storage: Storage, path: string | undefined, headers: Record<string, string> = {}) =>
  storage.audio(path, {}, headers)

test('a version is served whole, with what a player needs to know', async () => {
  await using storage = await startStorage()
  const { paths } = await storage.fulfil()
  const reply = await audioOf(storage, paths[0])
  expect(reply.statusCode).toBe(200)
  expect(reply.headers).toMatchObject({
    'accept-ranges': 'bytes',
    'content-type': 'audio/mpeg',
    'content-length': String(one.length),
  })
  expect(reply.headers['cache-control']).toContain('private')
  expect(reply.headers['etag']).toMatch(/^"[0-9a-f]{64}"$/)
  expect(reply.rawPayload).toEqual(one)
  expect((await audioOf(storage, paths[1])).rawPayload).toEqual(two)
})

test('a range is served as one part', async () => {
  await using storage = await startStorage()
  const {
    paths: [path],
  } = await storage.fulfil()
  for (const [range, start, end] of [
    ['bytes=0-99', 0, 100],
    ['bytes=-50', one.length - 50, one.length],
  ] as const) {
    const reply = await audioOf(storage, path, { range })
    expect([reply.statusCode, reply.headers]).toMatchObject([
      206,
      {
        'content-range': `bytes ${start}-${end - 1}/${one.length}`,
        'content-length': String(end - start),
        'content-type': 'audio/mpeg',
      },
    ])
    expect(reply.rawPayload).toEqual(one.subarray(start, end))
  }
})

test('ranges outside, invalid, several, and conditions are answered as HTTP says', async () => {
  await using storage = await startStorage()
  const {
    paths: [path],
  } = await storage.fulfil()
  const outside = await audioOf(storage, path, { range: `bytes=${one.length}-` })
  expect([outside.statusCode, outside.headers['content-range']]).toEqual([416, `bytes */${one.length}`])
  for (const range of ['bytes=0-1,5-6', 'bytes=9-3', 'lines=1-2', 'nonsense']) {
    const reply = await audioOf(storage, path, { range })
    expect([reply.statusCode, reply.rawPayload.length]).toEqual([200, one.length])
  }
  const etag = String((await audioOf(storage, path)).headers['etag'])
  const same = await audioOf(storage, path, { 'if-none-match': etag, range: 'bytes=0-1' })
  expect([same.statusCode, same.rawPayload.length, same.headers['etag']]).toEqual([304, 0, etag])
  const part = await audioOf(storage, path, { 'if-range': etag, range: 'bytes=0-1' })
  expect([part.statusCode, part.rawPayload.length]).toEqual([206, 2])
  const whole = await audioOf(storage, path, { 'if-range': '"old"', range: 'bytes=0-1' })
  expect([whole.statusCode, whole.rawPayload.length]).toEqual([200, one.length])
})

test('HEAD answers the same headers without the bytes', async () => {
  await using storage = await startStorage()
  const {
    paths: [path],
  } = await storage.fulfil()
  const reply = await storage.inject({
    method: 'HEAD',
    url: `/audio?path=${encodeURIComponent(path ?? '')}`,
  })
  expect(reply.statusCode).toBe(200)
  expect(reply.headers).toMatchObject({ 'content-length': String(one.length), 'accept-ranges': 'bytes' })
  expect(reply.rawPayload.length).toBe(0)
})

test('a download carries the name that the file was given', async () => {
  await using storage = await startStorage()
  const saved = (path: string | undefined, beside: string | undefined) =>
    storage.audio(path, { beside: beside ?? '', download: '1' })
  const { paths } = await storage.fulfil(newId(), ['Größe "1".mp3', 'two.mp3'])
  const [path, beside] = paths
  expect((await audioOf(storage, path)).headers['content-disposition']).toBeUndefined()
  const { headers } = await saved(path, beside)
  expect(headers['content-disposition']).toMatch(
    /^attachment; filename="[\w.-]+\.mp3"; filename\*=UTF-8''Gr%C3%B6/,
  )
  const twins = await storage.fulfil(newId(), ['song.mp3', 'song.mp3'])
  for (const [i, twin] of twins.paths.entries()) {
    const reply = await saved(twin, twins.paths[1 - i])
    expect(reply.headers['content-disposition']).toContain(`filename="song (${i + 1}).mp3"`)
  }
})

test('a file whose name lies about its format is sent as what it is, and keeps its name beside a true one', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const flac = await fixture('tone.flac')
  const [path, beside] = await storage.place(
    songId,
    formOf({ version1: [flac, 'x.mp3'], version2: [two, 'x.mp3'] }),
  )
  expect(path).toBe(`songs/${songId}/version1_x.flac`)
  const saved = await storage.audio(path, { beside: beside ?? '', download: '1' })
  expect(saved.headers).toMatchObject({
    'content-type': 'audio/flac',
    'content-disposition': `attachment; filename="x (1).flac"; filename*=UTF-8''x%20%281%29.mp3`,
  })
  const part = await audioOf(storage, path, { range: 'bytes=0-9' })
  expect([part.statusCode, part.headers['content-type']]).toEqual([206, 'audio/flac'])
})

test('a path without an object is not answered as a song that does not exist', async () => {
  await using storage = await startStorage()
  const reply = await audioOf(storage, `songs/${newId()}/version1_a.mp3`)
  expect([reply.statusCode, reply.json<Problem>().code]).toEqual([503, 'unavailable'])
  expect((await storage.inject({ url: '/audio' })).statusCode).toBe(400)
})

test('a store with a public endpoint serves its audio itself, at an address that expires within a quarter of an hour', async () => {
  const asked: unknown[] = []
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      publicUrl: async (path, expiresMs, disposition) => {
        asked.push({ path, expiresMs, disposition })
        return 'https://audio.example/signed'
      },
    }),
  })
  const {
    paths: [path],
  } = await storage.fulfil(newId(), ['one.wav', 'two.mp3'])
  const played = await audioOf(storage, path)
  expect([played.statusCode, played.headers['location']]).toEqual([302, 'https://audio.example/signed'])
  const saved = await storage.audio(path, { download: '1' })
  expect(saved.statusCode).toBe(302)
  // such an address is for GET alone
  const head = await storage.inject({ method: 'HEAD', url: `/audio?path=${encodeURIComponent(path ?? '')}` })
  expect([head.statusCode, head.headers['accept-ranges']]).toEqual([200, 'bytes'])
  expect(asked).toEqual([
    { path, expiresMs: 10 * 60_000, disposition: undefined },
    {
      path,
      expiresMs: 10 * 60_000,
      disposition: `attachment; filename="one.mp3"; filename*=UTF-8''one.wav`,
    },
  ])
})

test('a store that does not answer is 503, not a missing song', async () => {
  const store = { down: false }
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      get: (path, range) => (store.down ? Promise.reject(new Error('down')) : real.get(path, range)),
    }),
  })
  const {
    paths: [path],
  } = await storage.fulfil()
  store.down = true
  expect((await audioOf(storage, path)).statusCode).toBe(503)
})

/** A song whose first version is large, and a count of the streams that the store has open. */
async function withLargeSong() {
  const open = new Set<Readable>()
  let bytesRead = 0
  const storage = await startStorage({
    blobs: (real) => ({
      ...real,
      get: async (path, range) => {
        const stream = await real.get(path, range)
        if (!stream) return null
        open.add(stream)
        stream.on('close', () => open.delete(stream))
        const counted = stream.push.bind(stream)
        stream.push = (chunk: Buffer | null) => {
          bytesRead += chunk?.length ?? 0
          return counted(chunk)
        }
        return stream
      },
    }),
  })
  const songId = newId()
  const form = formOf({
    version1: [silentWav(64 * 1024 * 1024) as Buffer<ArrayBuffer>, 'large.wav'],
    version2: [two, 'b.mp3'],
  })
  const paths = await storage.place(songId, form)
  await storage.name(songId, ...paths)
  const [first, second] = paths.map((path) => `/audio?path=${encodeURIComponent(path)}`)
  return {
    storage,
    first: first ?? '',
    second: second ?? '',
    open,
    bytesRead: () => bytesRead,
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

/** Zero where the system does not say. */
async function openFiles(below: string): Promise<number> {
  if (process.platform !== 'linux') return 0
  const handles = await readdir('/proc/self/fd')
  const targets = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(below)).length
}

test('over HTTP nothing is read ahead for a slow client, and a client that disconnects frees everything', async () => {
  await using large = await withLargeSong()
  const { storage, first, open, bytesRead } = large
  const app = Fastify()
  await storage.service.routes(app)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const response = await new Promise<Readable>((resolve, reject) => {
    httpGet(`${address}${first}`, resolve).on('error', reject)
  })
  await new Promise((resolve) => response.once('readable', resolve))
  expect(open.size).toBe(1)
  expect(bytesRead()).toBeLessThan(32 * 1024 * 1024)
  response.destroy()
  await eventually(() => expect(open.size).toBe(0))
  await eventually(async () => expect(await openFiles(storage.dir)).toBe(0))
  await app.close()
})

test('between services of one process the same holds', async () => {
  await using large = await withLargeSong()
  const { storage, first, second, open, bytesRead } = large
  const reply = await storage.calls.call('storage', { method: 'GET', path: first })
  await new Promise((resolve) => reply.body.once('readable', resolve))
  expect(open.size).toBe(1)
  expect(bytesRead()).toBeLessThan(32 * 1024 * 1024)
  reply.body.destroy()
  await eventually(() => expect(open.size).toBe(0))
  const whole = await storage.calls.call('storage', { method: 'GET', path: second })
  expect(await buffer(whole.body)).toEqual(two)
})
