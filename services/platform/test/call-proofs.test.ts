import { Readable } from 'node:stream'
import type { ServiceName } from '@prelude/contracts'
import { pino } from 'pino'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { Unavailable } from '../src/errors.ts'
import { readReply } from '../src/http/calls/client.ts'
import type { CallRequest } from '../src/http/calls/port.ts'
import { proveCall, seenCalls } from '../src/http/calls/proof.ts'
import { internalApp } from '../src/http/internal-app.ts'
import { createIdentity, identitiesFrom, publicKeysFrom, readPublicKeys } from '../src/identity.ts'
import { testLogger } from './support/index.ts'
import { answer, paid } from './conformance/calls.ts'

const identityOf = identitiesFrom('a secret of this test')
const PAY = { method: 'PUT', path: '/payments/1?a=b', body: '{"cents":5}' }
const JSON_TYPE = { 'content-type': 'application/json' }
const prove = (from: ServiceName, to: ServiceName = 'songs', request: CallRequest = PAY) =>
  proveCall(identityOf(from), to, request, Date.now())

const app = internalApp({ identity: identityOf('songs'), logger: testLogger(), clock: systemClock })
answer(app)
afterAll(() => app.close())
beforeEach(() => void (paid.length = 0))

/** The status of a request with these very headers. */
const send = async ({ method, path: url, headers = {}, body }: CallRequest): Promise<number> => {
  const payload = body === undefined ? {} : { payload: body }
  return (await app.inject({ method: method as 'GET', url, headers, ...payload })).statusCode
}

test('a service cannot call as another one, nor somebody with a secret of their own', async () => {
  const renamed = prove('notifier')['x-prelude-call']!.replace('notifier', 'gateway')
  expect(await send({ ...PAY, headers: { ...JSON_TYPE, 'x-prelude-call': renamed } })).toBe(404)
  const stranger = createIdentity(
    'gateway',
    'a secret of their own',
    readPublicKeys(publicKeysFrom('a secret')),
  )
  const headers = { ...JSON_TYPE, ...proveCall(stranger, 'songs', PAY, Date.now()) }
  expect(await send({ ...PAY, headers })).toBe(404)
})

test.for<[what: string, proof: (right: string) => string, changes: Partial<CallRequest>]>([
  ['path', (right) => right, { path: '/payments/2?a=b' }],
  ['query', (right) => right, { path: '/payments/1?a=c' }],
  ['body', (right) => right, { body: '{"cents":6}' }],
  ['time', (right) => right.replace(/\d{13}/, String(Date.now() + 1_000)), {}],
  ['digest of the body', (right) => right.replace(/\.[\w-]{43}\./, '.stream.'), {}],
  ['receiver', () => prove('gateway', 'credits')['x-prelude-call'] ?? '', {}],
])('a proof does not hold for another %s', async ([, proof, changes]) => {
  const right = prove('gateway')['x-prelude-call'] ?? ''
  const headers = { ...JSON_TYPE, 'x-prelude-call': proof(right) }
  expect(await send({ ...PAY, headers, ...changes })).toBe(404)
  expect(paid).toEqual([])
})

test('a proof without a body holds for none, and that of JSON for no other content', async () => {
  const echo = { method: 'POST', path: '/echo', body: 'words' }
  const bytes = { 'content-type': 'application/octet-stream' }
  const { body: _body, ...empty } = echo
  for (const signed of [empty, echo])
    expect(await send({ ...echo, headers: { ...bytes, ...prove('gateway', 'songs', signed) } })).toBe(404)
})

test.for([
  '',
  'x',
  'gateway.1.2.none.é',
  `gateway.${Date.now()}.n.none.${'é'.repeat(43)}`,
  'nobody.1.2.none.x',
])('a proof of %j is refused as any other wrong one', async (proof) => {
  expect(await send({ method: 'GET', path: '/questions', headers: { 'x-prelude-call': proof } })).toBe(404)
})

test('a call that changes something is taken once, a read as often as it comes', async () => {
  const change = { ...PAY, headers: { ...JSON_TYPE, ...prove('gateway') } }
  expect([await send(change), await send(change)]).toEqual([200, 404])
  expect(paid).toEqual([5])
  const read = { method: 'GET', path: '/questions' }
  const same = { ...read, headers: prove('gateway', 'songs', read) }
  expect([await send(same), await send(same)]).toEqual([200, 200])
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
  const headers = proveCall(
    identityOf('gateway'),
    'songs',
    { method: 'GET', path: '/questions' },
    signedAt.getTime(),
  )
  const { statusCode, body } = await app.inject({ method: 'GET', url: '/questions', headers })
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
  expect((await app.inject({ method: 'GET', url: '/questions', headers: wrong })).statusCode).toBe(404)
  await app.close()
})
