import { newId } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import { songOf, songsStub } from './stand-ins.ts'
import { ADA, startGateway, uidOf } from './start-gateway.ts'

/** As many as one address may have in hand. */
const AT_ONCE = 100
const TOKEN = 'x'.repeat(22)

test('many plays from one address are limited, and leave the others alone', async () => {
  const stub = songsStub()
  const song = songOf({ id: newId(), uid: uidOf(ADA), status: 'ready', storagePath1: 'a', storagePath2: 'b' })
  const share = {
    id: newId(),
    songId: song.id,
    token: TOKEN,
    versions: [1, 2],
    lyrics: false,
    download: false,
  }
  const songs = (app: FastifyInstance): void => {
    stub.routes(app)
    app.post('/shares/open', async () => ({
      share: { ...share, expiresAt: null, plays: 0, createdAt: 1, endedAt: null },
      song,
      durationsMs: { 1: 1, 2: 1 },
    }))
  }
  let streams = 0
  const storage = (app: FastifyInstance): void => {
    app.get('/audio', (request, reply) => {
      void reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': 10 })
      reply.raw.write('12345') // the rest never comes
      streams++
      request.raw.once('close', () => streams--)
    })
  }
  await using gateway = await startGateway({
    services: { songs, storage },
    config: { rateLimits: true, trustedProxyHops: 1 },
  })
  await gateway.signIn(ADA) // whose song it is
  const from = (address: string): RequestInit => ({ headers: { 'x-forwarded-for': address } })
  const url = `${gateway.base}/api/shares/${TOKEN}`
  const held: Socket[] = []
  for (let n = 0; n < AT_ONCE; n++) {
    const socket = connect(gateway.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `GET /api/shares/${TOKEN}/versions/1 HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: 203.0.113.7\r\n\r\n`,
    )
    held.push(socket)
  }
  await vi.waitFor(() => expect(streams).toBe(AT_ONCE), { timeout: 20_000 })
  const refused = await fetch(url, from('203.0.113.7'))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect((await fetch(url, from('203.0.113.8'))).status).toBe(200)
  for (const socket of held) socket.destroy()
  await vi.waitFor(async () => expect((await fetch(url, from('203.0.113.7'))).status).toBe(200), {
    timeout: 20_000,
  })
})
