import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { s3Blobs } from '../src/blobs/s3-blobs.ts'

const SILENCE_MS = 200

/** A store that sends four of the ten bytes of an object, and then nothing. */
async function stallingStore() {
  const server = createServer((request, response) => {
    if (request.url?.includes('uploads'))
      return void response.end(
        '<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>',
      )
    if (request.method === 'HEAD') return void response.end()
    response.writeHead(200, { 'content-length': 10 }).write('four')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const blobs = s3Blobs({
    url: `s3://key:secret@127.0.0.1:${port}/bucket?tls=false`,
    readSilenceMs: SILENCE_MS,
  })
  return {
    blobs,
    [Symbol.asyncDispose]: async () => {
      await blobs.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('an object whose store falls silent in the middle ends with an error, once its reader waits for more', async () => {
  await using store = await stallingStore()
  const body = await store.blobs.get('songs/1/a')
  if (!body) throw new Error('no object')
  // a player that has paused
  await delay(3 * SILENCE_MS)
  expect(body.destroyed).toBe(false)
  expect(String(body.read())).toBe('four')
  await expect(body.toArray()).rejects.toThrow('the object store is silent')
})
