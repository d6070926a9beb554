import type { Problem } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { eventually } from '@prelude/platform/eventually'
import { fixture } from './fixtures.ts'
import { startStorage } from './system.ts'

/** The files of an archive without compression, read by its directory, with their checksums compared. */
function unpack(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006'))
  const files = new Map<string, Buffer>()
  let at = zip.readUInt32LE(end + 16)
  for (let i = 0; i < zip.readUInt16LE(end + 10); i++) {
    const [checksum, size] = [zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 24)]
    const [nameBytes, extraBytes] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)]
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const content = zip.subarray(start, start + size)
    expect(crc32(content)).toBe(checksum)
    files.set(zip.toString('utf8', at + 46, at + 46 + nameBytes), content)
    at += 46 + nameBytes + extraBytes + zip.readUInt16LE(at + 32)
  }
  return files
}

test('the ZIP holds both versions and all texts with the licence, and is named after the song as they are', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil(newId(), ['lyrics.txt', 'take 2.mp3'])
  const texts = { lyrics: 'la\nlä 🎵', style: 'folk', brief: 'Tempo (BPM): 96\n', made: 'by AI' }
  const certificate = Buffer.from('%PDF').toString('base64')
  const payload = { songId, paths, ...texts, title: 'Größe / Rain', certificate }
  const reply = await storage.inject({ method: 'POST', url: '/zip', payload })
  expect(reply.statusCode).toBe(200)
  expect(reply.headers).toMatchObject({
    'content-type': 'application/zip',
    'content-length': String(reply.rawPayload.length),
  })
  expect(reply.headers['content-disposition']).toBe(
    `attachment; filename="song-${songId}.zip"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20Rain.zip`,
  )
  const files = unpack(reply.rawPayload)
  expect(files.get('Größe Rain (Version 1).mp3')).toEqual(await fixture('cbr.mp3'))
  expect(files.get('Größe Rain (Version 2).mp3')).toEqual(await fixture('vbr.mp3'))
  expect(String(files.get('lyrics.txt'))).toBe(texts.lyrics)
  expect(String(files.get('style.txt'))).toBe('folk')
  expect(String(files.get('brief.txt'))).toBe(texts.brief)
  expect(String(files.get('how-it-was-made.txt'))).toBe('by AI')
  expect(String(files.get('licence.pdf'))).toBe('%PDF')
  expect(files.size).toBe(7)
})

test('a ZIP without one of its objects does not begin', async () => {
  await using storage = await startStorage()
  const { songId, paths } = await storage.fulfil()
  const zip = (payload: object) => storage.inject({ method: 'POST', url: '/zip', payload })
  const texts = { songId, lyrics: 'la', style: 'folk', title: 'folk' }
  for (const [given, status] of [
    [[paths[0], 'songs/x/version2_a.mp3'], 503],
    [[paths[0]], 400],
  ] as const)
    expect((await zip({ ...texts, paths: given })).statusCode).toBe(status)
  await storage.blobs.delete(paths[1] ?? '')
  const reply = await zip({ ...texts, paths })
  expect([reply.statusCode, reply.json<Problem>().code]).toEqual([503, 'unavailable'])
})

test('a client that disconnects while the ZIP is sent frees its object', async () => {
  const open = new Set<object>()
  await using storage = await startStorage({
    blobs: (real) => ({
      ...real,
      get: async (path, range) => {
        const stream = await real.get(path, range)
        if (stream) open.add(stream.once('close', () => open.delete(stream)))
        return stream
      },
    }),
  })
  const { songId, paths } = await storage.fulfil()
  const reply = await storage.calls.call('storage', {
    method: 'POST',
    path: '/zip',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ songId, paths, lyrics: 'la', style: 'folk', title: 'folk' }),
  })
  await new Promise((resolve) => reply.body.once('readable', resolve))
  reply.body.destroy()
  await eventually(() => expect(open.size).toBe(0))
})
