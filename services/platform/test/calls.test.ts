import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type ServiceName, songsApi } from '@prelude/contracts'
import { expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { type Client, client } from '../src/http/calls/client.ts'
import { httpCalls } from '../src/http/calls/http-calls.ts'
import { Unavailable } from '../src/errors.ts'
import { inProcessCalls } from '../src/http/calls/in-process-calls.ts'
import { internalApp } from '../src/http/internal-app.ts'
import type { CallRequest } from '../src/http/calls/port.ts'
import { identitiesFrom } from '../src/identity.ts'
import { certificate, placedObject, testLogger, trustedCertificate } from './support/index.ts'
import { answer, api, callsConformance, type CallsUnderTest } from './conformance/calls.ts'

const identityOf = identitiesFrom('a secret of this test')
const GATEWAY = identityOf('gateway')

async function answering(tls?: { cert: string; key: string }) {
  const app = internalApp({ identity: identityOf('songs'), logger: testLogger(), clock: systemClock, tls })
  answer(app)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const close = async (): Promise<void> => {
    app.server.closeAllConnections()
    await app.close()
  }
  return { app, url, [Symbol.asyncDispose]: close }
}

/** A process that is stopped: the system still takes its connections. */
async function frozenServer() {
  const sockets: Socket[] = []
  const server = createTcpServer({ pauseOnConnect: true }, (socket) => void sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await promisify(server.close.bind(server))()
    },
  }
}

callsConformance('calls in the process', async () => {
  const opened = await answering()
  const apps = new Map([['songs', opened.app] as const])
  const callsOf = (service: ServiceName) => inProcessCalls(apps, identityOf(service), systemClock)
  return { ...opened, calls: callsOf('gateway'), callsOf }
})

const overHttp = async (tls?: { cert: string; key: string }): Promise<CallsUnderTest> => {
  const opened = await answering(tls)
  const callsOf = (service: ServiceName) => httpCalls({ songs: opened.url }, identityOf(service), systemClock)
  return { ...opened, calls: callsOf('gateway'), callsOf }
}

callsConformance('calls over HTTP', overHttp)

test('a service with a certificate is called over HTTPS if that is trusted', async () => {
  await using trusted = await overHttp(await trustedCertificate())
  expect(await client(trusted.calls, 'songs', api).ask()).toEqual({})
  await using opened = await overHttp(await certificate())
  await expect(client(opened.calls, 'songs', api).ask()).rejects.toThrow('certificate')
})

test('in the process, a service that is not there or an operation without an answer is Unavailable', async () => {
  await using opened = await answering()
  const calls = inProcessCalls(new Map([['songs', opened.app]]), GATEWAY, systemClock, 100)
  await expect(client(calls, 'credits', api).ask()).rejects.toBeInstanceOf(Unavailable)
  await expect(client(calls, 'songs', api).hang()).rejects.toBeInstanceOf(Unavailable)
})

test('reads go to the address for reads, other calls do not', async () => {
  const one = await answering()
  await using any = await answering()
  const calls = httpCalls({ songs: one.url }, GATEWAY, systemClock, { songs: any.url })
  const call = (request: Partial<CallRequest>) =>
    calls.call('songs', { method: 'GET', path: '/questions', ...request })
  await one[Symbol.asyncDispose]()
  expect((await call({ reads: true })).status).toBe(200)
  expect(await client(calls, 'songs', { ask: { ...api.ask, reads: true } }).ask()).toEqual({})
  await expect(call({ timeoutMs: 100 })).rejects.toBeInstanceOf(Unavailable)
})

test('a service that takes connections and reads nothing is Unavailable soon, also for a call that may take an hour', async () => {
  await using frozen = await frozenServer()
  const calls = httpCalls({ storage: frozen.url }, GATEWAY, systemClock)
  const call = (body: CallRequest['body']) =>
    calls.call('storage', { method: 'POST', path: '/', body: body ?? '', timeoutMs: 3_600_000 })
  const body = Readable.from(['bytes'])
  await Promise.all([body, '{}'].map((one) => expect(call(one)).rejects.toBeInstanceOf(Unavailable)))
  expect(body.readableDidRead).toBe(false)
})

test('a stream that answers a call in the process is given to the caller itself: nothing copies its bytes', async () => {
  const app = internalApp({ identity: identityOf('songs'), logger: testLogger(), clock: systemClock })
  const sent = Readable.from(['some', 'bytes'])
  app.get('/stream', (_request, reply) => reply.header('content-length', 9).send(sent))
  const calls = inProcessCalls(new Map([['songs', app]]), GATEWAY, systemClock)
  const { status, headers, body } = await calls.call('songs', { method: 'GET', path: '/stream' })
  expect([status, headers['content-length']]).toEqual([200, '9'])
  expect(body).toBe(sent)
  expect(await readText(body)).toBe('somebytes')
  await app.close()
})

/** A server on this machine that runs `serve`; closed when disposed. */
async function serving(port: number, serve: RequestListener): Promise<AsyncDisposable & { port: number }> {
  const server = createServer(serve).listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await promisify(server.close.bind(server))()
    },
  }
}

const echo: RequestListener = (request, response) => void request.pipe(response)

async function portOfNobody(): Promise<number> {
  await using server = await serving(0, echo)
  return server.port
}

test.for([
  ['a text', (): string => 'a text'],
  ['a stream', (): Readable => Readable.from(['a ', 'stream'])],
] as const)('a service that is not there yet is waited for with %s', async ([text, bodyOf]) => {
  const port = await portOfNobody()
  const calls = httpCalls({ songs: `http://127.0.0.1:${port}` }, GATEWAY, systemClock)
  const answered = calls.call('songs', { method: 'POST', path: '/', body: bodyOf() })
  const refused = await fetch(`http://127.0.0.1:${port}`).catch(() => null)
  expect(refused).toBeNull()
  await using server = await serving(port, echo)
  expect(await readText((await answered).body)).toBe(text)
  expect(server.port).toBe(port)
})

test('a call that breaks off is made again where a repeat is harmless, and only there', async () => {
  const seen: string[] = []
  await using server = await serving(0, (request, response) => {
    const { method = '' } = request
    const isFirst = !seen.includes(method)
    seen.push(method)
    if (isFirst) request.socket.resetAndDestroy()
    else response.end('done')
  })
  const calls = httpCalls({ songs: `http://127.0.0.1:${server.port}` }, GATEWAY, systemClock)
  for (const method of ['GET', 'PUT'] as const)
    expect(await readText((await calls.call('songs', { method, path: '/', body: '{}' })).body)).toBe('done')
  await expect(calls.call('songs', { method: 'POST', path: '/', body: '{}' })).rejects.toThrow(Unavailable)
  expect(seen).toEqual(['GET', 'GET', 'PUT', 'PUT', 'POST'])
})

test('a call that waits for a connection ends in time, and is counted while it waits', async () => {
  await using server = await serving(0, () => {})
  const calls = httpCalls({ songs: `http://127.0.0.1:${server.port}` }, GATEWAY, systemClock)
  const ended: string[] = []
  const call = (name: string, limit: { timeoutMs?: number } = {}): Promise<unknown> =>
    calls.call('songs', { method: 'POST', path: '/', ...limit }).catch(() => ended.push(name))
  for (let n = 0; n < 256; n++) void call('in flight')
  const waiting = call('waiting', { timeoutMs: 500 })
  expect(calls.waiting()).toBe(1)
  await waiting
  expect([ended, calls.waiting()]).toEqual([['waiting'], 0])
})

const OBJECT = placedObject('songs/x/version1.mp3')
/** Calls that offer placed objects to songs, which must be offered each object once. */
const OFFERS = {
  fulfil: (songs: Client<typeof songsApi>) =>
    songs.fulfil({ params: { id: 'x' }, body: { gift: false, version1: OBJECT, version2: OBJECT } }),
  replaceTake: (songs: Client<typeof songsApi>) =>
    songs.replaceTake({ params: { id: 'x', n: 1 }, body: { replaces: 'a', object: OBJECT } }),
  deliverChanges: (songs: Client<typeof songsApi>) =>
    songs.deliverChanges({ params: { id: 'x' }, body: { objects: [{ version: 1, object: OBJECT }] } }),
}

test.for(Object.entries(OFFERS))(
  'a call that offers objects and breaks off is not repeated: %s',
  async ([, offer]) => {
    const seen: string[] = []
    await using server = await serving(0, (request) => {
      seen.push(request.method ?? '')
      request.socket.resetAndDestroy()
    })
    const calls = httpCalls({ songs: `http://127.0.0.1:${server.port}` }, GATEWAY, systemClock)
    await expect(offer(client(calls, 'songs', songsApi))).rejects.toThrow(Unavailable)
    expect(seen).toEqual(['POST'])
  },
)
