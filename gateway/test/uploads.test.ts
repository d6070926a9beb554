import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { newId } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { finished } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { songOf, songsStub } from './stand-ins.ts'
import { ADA, startGateway, uidOf } from './start-gateway.ts'

/** What becomes of uploads whose sender goes silent or leaves, on real connections. */

const storage = { open: 0, ended: [] as string[] }

/** Reads bodies and never answers: what ends a call is the gateway. */
function storageStub(app: FastifyInstance): void {
  app.addContentTypeParser(
    ['multipart/form-data', 'application/offset+octet-stream'],
    (_request, payload, done) => {
      storage.open++
      finished(payload.resume(), (error) => {
        storage.open--
        storage.ended.push(error ? 'cut off' : 'whole')
        done(error ?? null)
      })
    },
  )
  app.post('/songs/:id/placements', async () => ({ objects: [] }))
  app.patch('/uploads/:id', async (_request, reply) => reply.code(204).send())
}

/** A song, a gateway, and its operator; a sender is silent after so long. */
async function start(uploadSilenceMs?: number) {
  Object.assign(storage, { open: 0, ended: [] })
  const songs = songsStub()
  const id = newId()
  const gateway = await startGateway({
    config: uploadSilenceMs === undefined ? {} : { uploadSilenceMs },
    services: { songs: songs.routes, storage: storageStub },
  })
  await gateway.signIn(ADA)
  songs.songs.set(id, songOf({ uid: uidOf(ADA), id }))
  return {
    port: gateway.port,
    operator: await gateway.operator(),
    id,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** Sends the head and the beginning of a body, and then nothing. */
async function begin(
  { port, operator, id }: Pick<Awaited<ReturnType<typeof start>>, 'port' | 'operator' | 'id'>,
  { method, path, type }: Upload,
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const cookie = [...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  socket.write(
    [
      `${method} ${path.replace(':id', id)} HTTP/1.1`,
      'host: localhost',
      `cookie: ${cookie}`,
      `content-type: ${type}`,
      'tus-resumable: 1.0.0',
      'upload-offset: 0',
      'content-length: 100000',
      '',
      '--b\r\ncontent-disposition: form-data; name="version1"; filename="a.mp3"\r\n\r\nbytes',
    ].join('\r\n'),
  )
  await vi.waitFor(() => expect(storage.open).toBe(1))
  return socket
}

interface Upload {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly type: string
}
const UPLOADS: readonly Upload[] = [
  {
    what: 'a form',
    method: 'POST',
    path: '/api/operator/songs/:id/fulfil',
    type: 'multipart/form-data; boundary=b',
  },
  {
    what: 'a chunk',
    method: 'PATCH',
    path: '/api/operator/uploads/:id',
    type: 'application/offset+octet-stream',
  },
]

test.for(UPLOADS)(
  '$what whose sender goes silent is answered 408, and its connection ends',
  async (upload) => {
    await using running = await start(300)
    const socket = await begin(running, upload)
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    const answer = Buffer.concat(chunks).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('"code":"request_timeout"')
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    await vi.waitFor(() => expect(storage.ended).toEqual(['cut off']))
  },
)

test.for(UPLOADS)('$what whose sender leaves ends without that limit', async (upload) => {
  await using running = await start()
  const socket = await begin(running, upload)
  socket.destroy()
  await vi.waitFor(() => expect(storage.ended).toEqual(['cut off']), { timeout: 10_000 })
})
