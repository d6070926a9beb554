import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { expect, test, vi } from 'vitest'
import { defineApi, Nullable, Page, type ServiceName } from '@prelude/contracts'
import { client } from '../../src/http/calls/client.ts'
import { context } from '../../src/observability/context.ts'
import { AppError, Unavailable } from '../../src/errors.ts'
import { route } from '../../src/http/route.ts'
import type { CallRequest, ServiceCall } from '../../src/http/calls/port.ts'
import { LIFETIME_MS, proveCall } from '../../src/http/calls/proof.ts'
import { createIdentity, type Identity, publicKeysFrom, readPublicKeys } from '../../src/identity.ts'

const Line = Type.Object({ words: Type.String() })
const Tale = Type.Object({
  title: Type.String(),
  end: Nullable(Line),
  lines: Type.Array(Line),
  note: Type.Optional(Type.String()),
  readers: Type.Record(Type.String(), Type.Integer()),
  more: Type.Unknown(),
})

const api = defineApi({
  add: {
    method: 'POST',
    path: '/sums/:name',
    query: Type.Object({ twice: Type.Optional(Type.Boolean()), times: Type.Optional(Type.Integer()) }),
    body: Type.Object({ numbers: Type.Array(Type.Number()) }),
    reply: Type.Object({ name: Type.String(), sum: Type.Number(), times: Type.Integer() }),
  },
  refuse: { method: 'GET', path: '/refusals', reply: Type.Object({}) },
  fail: { method: 'GET', path: '/failures', reply: Type.Object({}) },
  read: { method: 'GET', path: '/tales/:which', reply: Page(Tale) },
  ask: { method: 'GET', path: '/questions', reply: Type.Object({}), callers: ['notifier'] },
  pay: {
    method: 'PUT',
    path: '/payments/:id',
    body: Type.Object({ cents: Type.Integer() }),
    reply: Type.Object({}),
  },
})

/** Endless responses that are still open, and requests that were closed without a response. */
const seen = { endless: 0, left: 0 }

/** What `pay` was called with. */
export const paid: number[] = []

/** The service that answers in these tests. */
export function answer(app: FastifyInstance): void {
  route(app, api.add, async ({ params, query, body }) => ({
    name: params['name'] ?? '',
    sum: body.numbers.reduce((sum, number) => sum + number, 0) * (query.twice === true ? 2 : 1),
    times: query.times ?? 0,
  }))
  route(app, api.refuse, async () => {
    throw new AppError('song_not_found', { detail: 'Song not found in database.' })
  })
  route(app, api.fail, async () => {
    throw new TypeError('a bug with a secret in it')
  })
  route(app, api.read, async ({ params }) => tales(params['which'] ?? ''))
  route(app, api.ask, async () => ({}))
  route(app, api.pay, async ({ body }) => {
    paid.push(body.cents)
    return {}
  })
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload))
  app.post('/echo', async (request, reply) =>
    reply.type('application/octet-stream').send(request.body as Readable),
  )
  app.get('/ids', async (request) => ({ correlationId: request.headers['x-correlation-id'] }))
  app.route({
    method: ['GET', 'POST'],
    url: '/silent',
    handler: (_request, reply) => {
      reply.raw.once('close', () => (seen.left += 1))
      return new Promise(() => {})
    },
  })
  app.route<{ Querystring: { afterMs?: string } }>({
    method: ['GET', 'POST'],
    url: '/endless',
    handler: async ({ query }, reply) => {
      const stream = endless()
      await delay(Number(query.afterMs ?? 0))
      return reply.send(stream)
    },
  })
}

function endless(): Readable {
  seen.endless += 1
  const stream = new Readable({
    read() {
      this.push(randomBytes(16_384))
    },
  })
  stream.once('close', () => (seen.endless -= 1))
  return stream
}

/** Pages with fields that the schema does not name, or without one that it requires. */
function tales(which: string): { items: Static<typeof Tale>[]; nextCursor: null } {
  const line = (words: string): Static<typeof Line> & { hidden: string } => ({ words, hidden: 'a secret' })
  const tale = {
    title: 'Ännchen "of" \u2028 Tharau',
    hidden: 'a secret',
    end: which === 'open' ? null : line('The end.'),
    lines: [line('One'), line('two')],
    readers: { ada: 1, 'hi dden': 2 },
    more: [{ any: 'thing' }],
  }
  const { lines: _lines, ...broken } = tale
  return { items: [which === 'broken' ? (broken as typeof tale) : tale], nextCursor: null }
}

export interface CallsUnderTest extends AsyncDisposable {
  /** Of the gateway. */
  readonly calls: ServiceCall
  readonly callsOf: (identity: Identity) => ServiceCall
  /** Sends a request to "songs" with these very headers. */
  readonly send: (request: CallRequest) => Promise<number>
}

/** What every ServiceCall must keep. `open` runs `answer` as the service "songs"; nothing answers as "credits". */
export function callsConformance(
  name: string,
  identityOf: (service: ServiceName) => Identity,
  open: () => Promise<CallsUnderTest>,
): void {
  test(`${name}: an operation is answered, its names, queries and bodies whole`, async () => {
    await using opened = await open()
    const sums = client(opened.calls, 'songs', api)
    const answered = await sums.add({
      params: { name: 'Grüße / "🎵" %2e' },
      query: { twice: true, times: 3 },
      body: { numbers: [1, 2.5] },
    })
    expect(answered).toEqual({ name: 'Grüße / "🎵" %2e', sum: 7, times: 3 })
  })

  test(`${name}: a length without a body is not waited for`, async () => {
    await using opened = await open()
    const { status } = await opened.calls.call('songs', {
      method: 'POST',
      path: '/echo',
      headers: { 'content-length': '4', 'content-type': 'application/octet-stream' },
    })
    expect(status).toBe(200)
  })

  test(`${name}: a refusal arrives as the same refusal, a bug as an error without details`, async () => {
    await using opened = await open()
    const sums = client(opened.calls, 'songs', api)
    const refused = await sums.refuse().catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'song_not_found', detail: 'Song not found in database.' })
    const failed = await sums.fail().catch((error: unknown) => error)
    expect(failed).not.toBeInstanceOf(AppError)
    expect(String(failed)).not.toContain('secret')
  })

  test(`${name}: an answer has exactly the fields of its schema`, async () => {
    await using opened = await open()
    const tales = client(opened.calls, 'songs', api)
    const tale = {
      title: 'Ännchen "of" \u2028 Tharau',
      end: { words: 'The end.' },
      lines: [{ words: 'One' }, { words: 'two' }],
      readers: { ada: 1, 'hi dden': 2 },
      more: [{ any: 'thing' }],
    }
    expect(await tales.read({ params: { which: 'whole' } })).toEqual({ items: [tale], nextCursor: null })
    const unfinished = await tales.read({ params: { which: 'open' } })
    expect(unfinished.items).toEqual([{ ...tale, end: null }])
    await expect(tales.read({ params: { which: 'broken' } })).rejects.toThrow('songs answered 500')
  })

  test(`${name}: bytes stream both ways`, async () => {
    await using opened = await open()
    const bytes = randomBytes(3_000_000)
    const reply = await opened.calls.call('songs', {
      method: 'POST',
      path: '/echo',
      headers: { 'content-type': 'application/octet-stream' },
      body: Readable.from([bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000)]),
    })
    expect(reply.status).toBe(200)
    expect(Buffer.compare(await buffer(reply.body), bytes)).toBe(0)
  })

  test(`${name}: a service that is down or does not answer is Unavailable in time`, async () => {
    await using opened = await open()
    await expect(opened.calls.call('credits', { method: 'GET', path: '/ids' })).rejects.toBeInstanceOf(
      Unavailable,
    )
    const silent = opened.calls.call('songs', { method: 'GET', path: '/silent', timeoutMs: 100 })
    await expect(silent).rejects.toBeInstanceOf(Unavailable)
  })

  test(`${name}: a caller that leaves in the middle of a response ends it`, async () => {
    await using opened = await open()
    const reply = await opened.calls.call('songs', { method: 'GET', path: '/endless' })
    for await (const chunk of reply.body) {
      expect((chunk as Buffer).length).toBeGreaterThan(0)
      break
    }
    reply.body.destroy()
    await vi.waitFor(() => expect(seen.endless).toBe(0), { timeout: 5_000, interval: 10 })
  })

  test.for(['GET', 'POST'])(`${name}: a response that comes too late is aborted: %s`, async (method) => {
    await using opened = await open()
    const late = { method, path: '/endless?afterMs=200', timeoutMs: 100 }
    const headers = { 'content-type': 'application/json' }
    const called = opened.calls.call('songs', method === 'GET' ? late : { ...late, headers, body: '{}' })
    await expect(called).rejects.toBeInstanceOf(Unavailable)
    expect(seen.endless).toBe(1)
    await vi.waitFor(() => expect(seen.endless).toBe(0), { timeout: 5_000, interval: 10 })
  })

  test.for(['before the call', 'midway'])(
    `${name}: a body that breaks off ends the call and the request: %s`,
    async (when) => {
      await using opened = await open()
      const left = seen.left
      const body = new Readable({ read() {} })
      body.push('half of it')
      if (when === 'before the call') body.destroy()
      else setTimeout(() => body.destroy(), 100)
      const headers = { 'content-type': 'application/octet-stream' }
      const request = { method: 'POST', path: '/silent', headers, body, timeoutMs: 60_000 }
      await expect(opened.calls.call('songs', request)).rejects.toBeInstanceOf(Unavailable)
      if (when === 'midway') await vi.waitFor(() => expect(seen.left).toBe(left + 1), { timeout: 5_000 })
    },
  )

  test(`${name}: the ids of the request go along`, async () => {
    await using opened = await open()
    const reply = await context.run({ correlationId: 'a-correlation-id' }, () =>
      opened.calls.call('songs', { method: 'GET', path: '/ids' }),
    )
    expect(JSON.parse(await text(reply.body))).toEqual({ correlationId: 'a-correlation-id' })
  })

  const PAY = { method: 'PUT', path: '/payments/1?a=b', body: '{"cents":5}' }
  const JSON_TYPE = { 'content-type': 'application/json' }
  const prove = (from: ServiceName, to: ServiceName = 'songs', request: CallRequest = PAY) =>
    proveCall(identityOf(from), to, request)

  test(`${name}: an operation accepts the gateway and the callers that it names`, async () => {
    await using opened = await open()
    const as = (service: ServiceName) => client(opened.callsOf(identityOf(service)), 'songs', api)
    const pay = { params: { id: '1' }, body: { cents: 1 } }
    await as('gateway').ask()
    await as('notifier').ask()
    await as('gateway').pay(pay)
    await expect(as('credits').ask()).rejects.toMatchObject({ code: 'not_found' })
    await expect(as('notifier').pay(pay)).rejects.toMatchObject({ code: 'not_found' })
  })

  test(`${name}: a service cannot call as another one, nor somebody with a secret of their own`, async () => {
    await using opened = await open()
    const [, ...claims] = (prove('notifier')['x-prelude-call'] ?? '').split('.')
    const renamed = { 'x-prelude-call': ['gateway', ...claims].join('.') }
    expect(await opened.send({ ...PAY, headers: { ...JSON_TYPE, ...renamed } })).toBe(404)
    const stranger = createIdentity(
      'gateway',
      'a secret of their own',
      readPublicKeys(publicKeysFrom('a secret')),
    )
    const calls = opened.callsOf(stranger)
    expect((await calls.call('songs', { ...PAY, headers: JSON_TYPE })).status).toBe(404)
  })

  test.for<[what: string, proof: (right: string) => string, changes: Partial<CallRequest>]>([
    ['path', (right) => right, { path: '/payments/2?a=b' }],
    ['query', (right) => right, { path: '/payments/1?a=c' }],
    ['body', (right) => right, { body: '{"cents":6}' }],
    ['method', (right) => right, { method: 'POST' }],
    ['caller', (right) => right.replace('gateway', 'songs'), {}],
    ['time', (right) => right.replace(/\d{13}/, String(Date.now() + 1_000)), {}],
    ['digest of the body', (right) => right.replace(/\.[\w-]{43}\./, '.stream.'), {}],
    ['receiver', () => prove('gateway', 'credits')['x-prelude-call'] ?? '', {}],
  ])(`${name}: a proof does not hold for another %s`, async ([, proof, changes]) => {
    await using opened = await open()
    paid.length = 0
    const right = prove('gateway')['x-prelude-call'] ?? ''
    const headers = { ...JSON_TYPE, 'x-prelude-call': proof(right) }
    expect(await opened.send({ ...PAY, headers, ...changes })).toBe(404)
    expect(paid).toEqual([])
    expect(await opened.send({ ...PAY, headers: { ...JSON_TYPE, ...prove('gateway') } })).toBe(200)
  })

  test(`${name}: a proof without a body holds for none, and that of JSON for no other content`, async () => {
    await using opened = await open()
    const echo = { method: 'POST', path: '/echo', body: 'words' }
    const bytes = { 'content-type': 'application/octet-stream' }
    const { body: _body, ...empty } = echo
    for (const signed of [empty, echo])
      expect(
        await opened.send({ ...echo, headers: { ...bytes, ...prove('gateway', 'songs', signed) } }),
      ).toBe(404)
  })

  test.for([
    '',
    'x',
    'gateway.1.2.none.é',
    `gateway.${Date.now()}.n.none.${'é'.repeat(43)}`,
    'nobody.1.2.none.x',
  ])(`${name}: a proof of %j is refused as any other wrong one`, async (proof) => {
    await using opened = await open()
    expect(await opened.send({ method: 'GET', path: '/ids', headers: { 'x-prelude-call': proof } })).toBe(404)
  })

  test(`${name}: a call that changes something is taken once, a read as often as it comes`, async () => {
    await using opened = await open()
    paid.length = 0
    const change = { ...PAY, headers: { ...JSON_TYPE, ...prove('gateway') } }
    expect([await opened.send(change), await opened.send(change)]).toEqual([200, 404])
    expect(paid).toEqual([5])
    const read = { method: 'GET', path: '/ids' }
    const same = { ...read, headers: prove('gateway', 'songs', read) }
    expect([await opened.send(same), await opened.send(same)]).toEqual([200, 200])
  })

  test(`${name}: a call signed by a clock that is off is refused as such`, async () => {
    await using opened = await open()
    vi.useFakeTimers({ now: Date.now() - LIFETIME_MS - 1_000, toFake: ['Date'] })
    const headers = { ...JSON_TYPE, ...prove('gateway') }
    vi.useRealTimers()
    expect(await opened.send({ ...PAY, headers })).toBe(503)
  })
}
