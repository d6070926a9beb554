import type { Problem } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import Fastify from 'fastify'
import { readdir, readlink } from 'node:fs/promises'
import { get as httpGet } from 'node:http'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { fixture, silentWav } from './fixtures.ts'
import { formOf, startStorage, type Storage } from './system.ts'

const one = await fixture('cbr.mp3')
const two = await fixture('vbr.mp3')

const audioOf = (storage: Storage, songId: string, headers: Record<string, string> = {}, rest = '1/audio') =>
  storage.inject({ url: `/songs/${songId}/versions/${rest}`, headers })

test('a version is served whole, with what a player needs to know', async () => {
  await using storage = await startStorage()
  const { songId } = await storage.fulfil()
  const reply = await audioOf(storage, songId)
  expect(reply.statusCode).toBe(200)
  expect(reply.headers).toMatchObject({
    'accept-ranges': 'bytes',
    'content-type': 'audio/mpeg',
    'content-length': String(one.length),
  })
  expect(reply.headers['cache-control']).toContain('private')
  expect(reply.headers['etag']).toMatch(/^"[0-9a-f]{64}"$/)
  expect(reply.rawPayload).toEqual(one)
  expect((await audioOf(storage, songId, {}, '2/audio')).rawPayload).toEqual(two)
})

test.each([
  ['bytes=0-99', 0, 100],
  ['bytes=100-', 100, one.length],
  ['bytes=-50', one.length - 50, one.length],
  [`bytes=10-${one.length * 2}`, 10, one.length],
])('the range %s is served as one part', async (range, start, end) => {
  await using storage = await startStorage()
  const { songId } = await storage.fulfil()
  const reply = await audioOf(storage, songId, { range })
  expect(reply.statusCode).toBe(206)
  expect(reply.headers).toMatchObject({
    'content-range': `bytes ${start}-${end - 1}/${one.length}`,
    'content-length': String(end - start),
    'content-type': 'audio/mpeg',
  })
  expect(reply.rawPayload).toEqual(one.subarray(start, end))
})

test('ranges outside, invalid, several, and conditions are answered as HTTP says', async () => {
  await using storage = await startStorage()
  const { songId } = await storage.fulfil()
  const outside = await audioOf(storage, songId, { range: `bytes=${one.length}-` })
  expect([outside.statusCode, outside.headers['content-range']]).toEqual([416, `bytes */${one.length}`])
  for (const range of ['bytes=0-1,5-6', 'bytes=9-3', 'lines=1-2', 'nonsense']) {
    const reply = await audioOf(storage, songId, { range })
    expect([reply.statusCode, reply.rawPayload.length]).toEqual([200, one.length])
  }
  const etag = String((await audioOf(storage, songId)).headers['etag'])
  const same = await audioOf(storage, songId, { 'if-none-match': etag, range: 'bytes=0-1' })
  expect([same.statusCode, same.rawPayload.length, same.headers['etag']]).toEqual([304, 0, etag])
  const part = await audioOf(storage, songId, { 'if-range': etag, range: 'bytes=0-1' })
  expect([part.statusCode, part.rawPayload.length]).toEqual([206, 2])
  const whole = await audioOf(storage, songId, { 'if-range': '"old"', range: 'bytes=0-1' })
  expect([whole.statusCode, whole.rawPayload.length]).toEqual([200, one.length])
})

test('HEAD answers the same headers without the bytes', async () => {
  await using storage = await startStorage()
  const { songId } = await storage.fulfil()
  const reply = await storage.inject({ method: 'HEAD', url: `/songs/${songId}/versions/1/audio` })
  expect(reply.statusCode).toBe(200)
  expect(reply.headers).toMatchObject({ 'content-length': String(one.length), 'accept-ranges': 'bytes' })
  expect(reply.rawPayload.length).toBe(0)
})

test('a download carries the name that the file was given', async () => {
  await using storage = await startStorage()
  const { songId } = await storage.fulfil(newId(), ['Größe "1".mp3', 'two.mp3'])
  expect((await audioOf(storage, songId)).headers['content-disposition']).toBeUndefined()
  const { headers } = await audioOf(storage, songId, {}, '1/audio?download=1')
  expect(headers['content-disposition']).toMatch(
    /^attachment; filename="[\w.-]+\.mp3"; filename\*=UTF-8''Gr%C3%B6/,
  )
  const twins = await storage.fulfil(newId(), ['song.mp3', 'song.mp3'])
  for (const n of [1, 2]) {
    const twin = await audioOf(storage, twins.songId, {}, `${n}/audio?download=1`)
    expect(twin.headers['content-disposition']).toContain(`filename="song (${n}).mp3"`)
  }
})

test('an unknown song, another version and a placement that was not kept are 404', async () => {
  await using storage = await startStorage()
  const { songId } = await storage.fulfil()
  const placed = newId()
  await storage.postBoth(placed, formOf({ version1: [one, 'a.mp3'], version2: [two, 'b.mp3'] }))
  const replies = await Promise.all([
    audioOf(storage, newId()),
    audioOf(storage, songId, {}, '3/audio'),
    audioOf(storage, songId, {}, '01/audio'),
    audioOf(storage, placed),
  ])
  for (const reply of replies)
    expect([reply.statusCode, reply.json<Problem>().code]).toEqual([404, 'song_not_found'])
})

test('a placement that the song names is served although the call that keeps it was lost', async () => {
  await using storage = await startStorage()
  const songId = newId()
  const placed = await storage.postBoth(
    songId,
    formOf({ version1: [one, 'a.mp3'], version2: [two, 'b.mp3'] }),
  )
  for (const path of placed.json<{ paths: string[] }>().paths) storage.named.add(path)
  expect((await audioOf(storage, songId)).rawPayload).toEqual(one)
})

test('a store with a public endpoint serves its audio itself, at an address that expires within a quarter of an hour', async () => {
  const asked: unknown[] = []
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      publicUrl: async (path, expiresMs, name) => {
        asked.push({ path, expiresMs, name })
        return 'https://audio.example/signed'
      },
    }),
  })
  const { songId } = await storage.fulfil()
  const played = await audioOf(storage, songId)
  expect([played.statusCode, played.headers['location']]).toEqual([302, 'https://audio.example/signed'])
  const saved = await storage.inject({ url: `/songs/${songId}/versions/1/audio?download=1` })
  expect(saved.statusCode).toBe(302)
  expect(asked).toEqual([
    { path: expect.stringContaining(`songs/${songId}/version1_`), expiresMs: 10 * 60_000, name: undefined },
    {
      path: expect.stringContaining(`songs/${songId}/version1_`),
      expiresMs: 10 * 60_000,
      name: expect.any(String),
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
  const { songId } = await storage.fulfil()
  store.down = true
  expect((await audioOf(storage, songId)).statusCode).toBe(503)
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
  const { claim } = (await storage.postBoth(songId, form)).json<{ claim: string }>()
  storage.named.add(`songs/${songId}/version1_large.wav`)
  await storage.inject({ method: 'POST', url: `/claims/${claim}/keep` })
  return {
    storage,
    songId,
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
  const { storage, songId, open, bytesRead } = large
  const app = Fastify()
  await storage.service.routes(app)
  const address = await app.listen({ host: '127.0.0.1', port: 0 })
  const response = await new Promise<Readable>((resolve, reject) => {
    httpGet(`${address}/songs/${songId}/versions/1/audio`, resolve).on('error', reject)
  })
  await new Promise((resolve) => response.once('readable', resolve))
  expect(open.size).toBe(1)
  expect(bytesRead()).toBeLessThan(32 * 1024 * 1024)
  response.destroy()
  await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 10_000 })
  await vi.waitFor(async () => expect(await openFiles(storage.dir)).toBe(0), { timeout: 10_000 })
  await app.close()
})

test('between services of one process the same holds', async () => {
  await using large = await withLargeSong()
  const { storage, songId, open, bytesRead } = large
  const reply = await storage.calls.call('storage', {
    method: 'GET',
    path: `/songs/${songId}/versions/1/audio`,
  })
  await new Promise((resolve) => reply.body.once('readable', resolve))
  expect(open.size).toBe(1)
  expect(bytesRead()).toBeLessThan(32 * 1024 * 1024)
  reply.body.destroy()
  await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 10_000 })
  const whole = await storage.calls.call('storage', {
    method: 'GET',
    path: `/songs/${songId}/versions/2/audio`,
  })
  expect(await buffer(whole.body)).toEqual(two)
})
