import { once } from 'node:events'
import { createServer, request as httpRequest, type RequestListener } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { songsApi } from '@prelude/contracts'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { type Client, client, readReply } from '../src/http/calls/client.ts'
import { httpCalls } from '../src/http/calls/http-calls.ts'
import { Unavailable } from '../src/errors.ts'
import { proveCall, seenCalls } from '../src/http/calls/proof.ts'
import { injectCalls } from '../src/http/calls/inject-calls.ts'
import { internalApp } from '../src/http/internal-app.ts'
import type { CallRequest } from '../src/http/calls/port.ts'
import { identitiesFrom, type Identity } from '../src/identity.ts'
import { certificate, placedObject, testLogger, trustedCertificate } from '../src/testing/index.ts'
import { callProofsConformance } from './conformance/call-proofs.ts'
import { answer, callsConformance, type CallsUnderTest } from './conformance/calls.ts'

const identityOf = identitiesFrom('a secret of this test')
const GATEWAY = identityOf('gateway')

async function answering(tls?: { cert: string; key: string }) {
  const app = internalApp({ identity: identityOf('songs'), logger: testLogger(), clock: systemClock, tls })
  answer(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async (): Promise<void> => {
    app.server.closeAllConnections()
    await app.close()
  }
  return { app, url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, close }
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

function conforms(name: string, open: () => Promise<CallsUnderTest>): void {
  callsConformance(name, open)
  callProofsConformance(name, identityOf, open)
}

conforms('calls in the process', async () => {
  const { app, close } = await answering()
  const callsOf = (identity: Identity) => injectCalls(new Map([['songs', app]]), identity, systemClock)
  const send = async ({ method, path, headers = {}, body }: CallRequest): Promise<number> => {
    const payload = body === undefined ? {} : { payload: body }
    return (await app.inject({ method: method as 'GET', url: path, headers, ...payload })).statusCode
  }
  return { calls: callsOf(GATEWAY), callsOf, send, [Symbol.asyncDispose]: close }
})

const overHttp = (tls?: { cert: string; key: string }) => async (): Promise<CallsUnderTest> => {
  const { url, close } = await answering(tls)
  // no process listens on port 9 of this machine
  const callsOf = (identity: Identity) =>
    httpCalls({ songs: url, credits: 'http://127.0.0.1:9' }, identity, systemClock)
  return {
    calls: callsOf(GATEWAY),
    callsOf,
    send: (request) => sendTo(url, request),
    [Symbol.asyncDispose]: close,
  }
}

const sendTo = (url: string, { method, path, headers = {}, body }: CallRequest): Promise<number> =>
  new Promise((resolve, reject) => {
    // header values are bytes to node:http
    const bytes = Object.entries(headers).map(([name, value]) => [
      name,
      Buffer.from(value).toString('latin1'),
    ])
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const outgoing = send(
      new URL(path, url),
      { method, headers: Object.fromEntries(bytes) as Record<string, string> },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })

conforms('calls over HTTP', overHttp())
conforms('calls over HTTPS', overHttp(await trustedCertificate()))

test('reads go to the address for reads, other calls do not', async () => {
  const [one, any] = [await answering(), await answering()]
  const calls = httpCalls({ songs: one.url }, GATEWAY, systemClock, { songs: any.url })
  const call = (request: Partial<CallRequest>) =>
    calls.call('songs', { method: 'GET', path: '/ids', ...request })
  await any.close()
  expect((await call({})).status).toBe(200)
  await expect(call({ reads: true, timeoutMs: 100 })).rejects.toBeInstanceOf(Unavailable)
  await one.close()
})

test('a service that takes connections and reads nothing is Unavailable soon, also for a call that may take an hour', async () => {
  await using frozen = await frozenServer()
  const calls = httpCalls({ storage: frozen.url }, GATEWAY, systemClock)
  const call = (body: CallRequest['body']) =>
    calls.call('storage', { method: 'POST', path: '/', body: body ?? '', timeoutMs: 3_600_000 })
  const body = Readable.from(['bytes'])
  await expect(call(body)).rejects.toBeInstanceOf(Unavailable)
  expect(body.readableDidRead).toBe(false)
  await expect(call('{}')).rejects.toBeInstanceOf(Unavailable)
})

test('a service whose certificate is not trusted is not called', async () => {
  const { url, close } = await answering(await certificate())
  const call = httpCalls({ songs: url }, GATEWAY, systemClock).call('songs', { method: 'GET', path: '/ids' })
  await expect(call).rejects.toThrow('certificate')
  await close()
})

test('a stream that answers a call in the process is given to the caller itself: nothing copies its bytes', async () => {
  const app = internalApp({ identity: identityOf('songs'), logger: testLogger(), clock: systemClock })
  const sent = Readable.from(['some', 'bytes'])
  app.get('/stream', (_request, reply) => reply.header('content-length', 9).send(sent))
  const { status, headers, body } = await injectCalls(new Map([['songs', app]]), GATEWAY, systemClock).call(
    'songs',
    {
      method: 'GET',
      path: '/stream',
    },
  )
  expect([status, headers['content-length']]).toEqual([200, '9'])
  expect(body).toBe(sent)
  expect(await readText(body)).toBe('somebytes')
  await app.close()
})

test('a call without a proof finds nothing', async () => {
  const { url, close } = await answering()
  expect((await fetch(`${url}/ids`)).status).toBe(404)
  await close()
})

test('what was seen of a call is kept for as long as its proof is valid', () => {
  const seen = seenCalls()
  expect([seen.isFirst('a', 0), seen.isFirst('b', 60_000), seen.isFirst('a', 119_999)]).toEqual([
    true,
    true,
    false,
  ])
  expect([seen.isFirst('a', 120_000), seen.isFirst('b', 120_000)]).toEqual([true, false])
})

test('a call signed by a clock that is off is clock_skew, logged with both times, and Unavailable for its caller', async () => {
  const lines: string[] = []
  const logger = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
  const signedAt = new Date('2026-01-01T00:00:00Z')
  const receivedAt = new Date('2026-01-01T00:01:01Z')
  const clock = { ...systemClock, now: () => receivedAt.getTime() }
  const app = internalApp({ identity: identityOf('songs'), logger, clock })
  answer(app)
  const headers = proveCall(GATEWAY, 'songs', { method: 'GET', path: '/ids' }, signedAt.getTime())
  const { statusCode, body } = await app.inject({ method: 'GET', url: '/ids', headers })
  expect(statusCode).toBe(503)
  expect(JSON.parse(body)).toMatchObject({ code: 'clock_skew' })
  expect(JSON.parse(lines.join(''))).toMatchObject({
    level: 50,
    signedAt: signedAt.toISOString(),
    receivedAt: receivedAt.toISOString(),
  })
  const refusal = { status: statusCode, headers: {}, body: Readable.from([body]) }
  await expect(readReply('songs', refusal)).rejects.toBeInstanceOf(Unavailable)
  const wrong = { 'x-prelude-call': headers['x-prelude-call']!.replace(/\d{13}/, '1') }
  expect((await app.inject({ method: 'GET', url: '/ids', headers: wrong })).statusCode).toBe(404)
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
  ['GET', undefined],
  ['POST', 'a text'],
  ['POST', Readable.from(['a ', 'stream'])],
] as const)('a service that is not there yet is waited for: %s', async ([method, body]) => {
  const port = await portOfNobody()
  const calls = httpCalls({ songs: `http://127.0.0.1:${port}` }, GATEWAY, systemClock)
  const answered = calls.call('songs', { method, path: '/', ...(body !== undefined && { body }) })
  const refused = await fetch(`http://127.0.0.1:${port}`).catch(() => null)
  expect(refused).toBeNull()
  await using server = await serving(port, echo)
  const sent = typeof body === 'string' ? body : body === undefined ? '' : 'a stream'
  expect(await readText((await answered).body)).toBe(sent)
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
