import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { AppError, newId } from '@prelude/platform'
import { placedObject } from '@prelude/platform/testing'
import type { FastifyInstance } from 'fastify'
import { finished } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { eventually } from '@prelude/platform/eventually'
import { afterEach, expect, test, vi } from 'vitest'
import { songOf, songsStub } from './stand-ins.ts'
import { ADA, startGateway, uidOf } from './start-gateway.ts'
import type { KeyValue } from '../src/api/key-value/port.ts'

/** What becomes of uploads whose sender goes silent or leaves, on real connections. */

const storage = { open: 0, bytes: 0, ended: [] as string[] }
afterEach(() => void vi.useRealTimers())

/** Reads bodies to their end; meanwhile it places no other files of a song, as storage. */
const storageStub =
  (before: Before) =>
  (app: FastifyInstance): void => {
    app.addContentTypeParser(
      ['multipart/form-data', 'application/offset+octet-stream'],
      (_request, payload, done) => {
        storage.open++
        payload.on('data', (chunk: Buffer) => (storage.bytes += chunk.length))
        finished(payload, (error) => {
          storage.open--
          storage.ended.push(error ? 'cut off' : 'whole')
          done(error ?? null)
        })
      },
    )
    app.addHook('onRequest', async () => {
      if (storage.open > 0) throw new AppError('fulfilment_in_progress')
    })
    app.post('/songs/:id/placements', async () => {
      await before('the files are placed')
      return { objects: [placedObject('songs/1'), placedObject('songs/2')], versions: [1, 2] }
    })
    app.patch('/uploads/:id', async (_request, reply) => reply.code(204).send())
  }

/** A song, a gateway, and its operator. `before` is awaited before each step. */
async function start({ before = async () => {} }: { before?: Before } = {}) {
  Object.assign(storage, { open: 0, bytes: 0, ended: [] })
  const songs = songsStub()
  const id = newId()
  const gateway = await startGateway({
    services: {
      songs: (app) => {
        app.addHook('onRequest', async ({ url }) => {
          if (url.includes('/fulfillable')) await before('songs is asked')
        })
        songs.routes(app)
      },
      storage: storageStub(before),
    },
    kv: (kv): KeyValue => ({
      ...kv,
      get: async (key) => {
        await before('the session is read')
        return kv.get(key)
      },
    }),
  })
  await gateway.signIn(ADA)
  songs.songs.set(id, songOf({ uid: uidOf(ADA), id }))
  return {
    port: gateway.port,
    server: gateway.app.server,
    operator: await gateway.operator(),
    id,
    song: () => songs.songs.get(id),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

/** The first two: before the gateway passes the body on. */
type Step = 'the session is read' | 'songs is asked' | 'the files are placed'
type Before = (step: Step) => Promise<void>
type Running = Pick<Awaited<ReturnType<typeof start>>, 'port' | 'operator' | 'id'>

const HALF = '--b\r\ncontent-disposition: form-data; name="version1"; filename="a.mp3"\r\n\r\nbytes'
const REST = 'x'.repeat(100_000)

/** Sends the head and the beginning of a body, and then nothing. */
async function sendHalf({ port, operator, id }: Running, { method, path, type }: Upload): Promise<Socket> {
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
      `content-length: ${HALF.length + REST.length}`,
      '',
      HALF,
    ].join('\r\n'),
  )
  return socket
}

/** The same, until storage reads it. */
async function begin(running: Running, upload: Upload): Promise<Socket> {
  const socket = await sendHalf(running, upload)
  await eventually(() => expect(storage.open).toBe(1))
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
  '$what whose sender is silent for 60 s is answered 408, and its connection ends',
  async (upload) => {
    await using running = await start()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const socket = await sendHalf(running, upload)
    while (storage.bytes === 0) await turn()
    await vi.advanceTimersByTimeAsync(59_900)
    expect(storage).toMatchObject({ open: 1, ended: [] })
    await vi.advanceTimersByTimeAsync(100)
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    const answer = Buffer.concat(chunks).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('"code":"request_timeout"')
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    await eventually(() => expect(storage.ended).toEqual(['cut off']))
  },
)

test.for(UPLOADS)('$what whose sender leaves ends at once', async (upload) => {
  await using running = await start()
  const socket = await begin(running, upload)
  socket.destroy()
  await eventually(() => expect(storage.ended).toEqual(['cut off']))
})

test('a form whose sender leaves while storage places its files is not delivered', async () => {
  const placing = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  await using running = await start({
    before: async (step) => {
      if (step !== 'the files are placed') return
      placing.resolve()
      await left.promise
    },
  })
  const [seen, socket] = await Promise.all([
    once(running.server, 'connection'),
    sendHalf(running, UPLOADS[0] as Upload),
  ])
  const gone = once(seen[0] as Socket, 'close')
  socket.write(REST)
  await placing.promise
  socket.destroy()
  await gone
  left.resolve()
  await eventually(async () => {
    const { items } = (await (await running.operator.get('/api/operator/audit?limit=1')).json()) as {
      items: { action: string; outcome: string }[]
    }
    expect(items).toMatchObject([{ action: 'fulfil-song', outcome: 'upload_failed' }])
  })
  expect(running.song()?.status).toBe('pending')
})

test.for<Step>(['the session is read', 'songs is asked'])(
  'a form whose sender leaves while %s holds nothing: the song can be fulfilled at once',
  async (step) => {
    const reached = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    let armed = false
    await using running = await start({
      before: async (now) => {
        if (!armed || now !== step) return
        reached.resolve()
        await left.promise
      },
    })
    armed = true
    const [seen, socket] = await Promise.all([
      once(running.server, 'connection'),
      sendHalf(running, UPLOADS[0] as Upload),
    ])
    const gone = once(seen[0] as Socket, 'close')
    await reached.promise
    socket.destroy()
    await gone
    left.resolve()
    const form = new FormData()
    for (const name of ['version1', 'version2']) form.set(name, new File(['bytes'], `${name}.mp3`))
    const path = `/api/operator/songs/${running.id}/fulfil`
    const answer = await running.operator.send(path, { method: 'POST', body: form })
    expect([answer.status, storage.open]).toEqual([200, 0])
    expect(storage.ended.at(-1)).toBe('whole')
  },
)
