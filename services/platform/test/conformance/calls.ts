import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { expect, test } from 'vitest'
import { defineApi, Nullable, Page, type ServiceName } from '@prelude/contracts'
import { eventually } from '../support/eventually.ts'
import { client } from '../../src/http/calls/client.ts'
import { context, currentContext } from '../../src/observability/context.ts'
import { AppError, Unavailable } from '../../src/errors.ts'
import { route } from '../../src/http/route.ts'
import type { ServiceCall } from '../../src/http/calls/port.ts'

const Line = Type.Object({ words: Type.String() })
const Lines = Type.Object({ lines: Type.Array(Line) })
const Tale = Type.Object({
  title: Type.String(),
  end: Nullable(Line),
  lines: Type.Array(Line),
  note: Type.Optional(Type.String()),
  readers: Type.Record(Type.String(), Type.Integer()),
  more: Type.Unknown(),
})

export const api = defineApi({
  add: {
    method: 'POST',
    path: '/sums/:name',
    query: Type.Object({ twice: Type.Optional(Type.Boolean()), times: Type.Optional(Type.Integer()) }),
    body: Type.Object({ numbers: Type.Array(Type.Number()) }),
    reply: Type.Object({ name: Type.String(), sum: Type.Number(), times: Type.Integer() }),
  },
  refuse: { method: 'GET', path: '/refusals', reply: Type.Object({}) },
  fail: { method: 'GET', path: '/failures', reply: Type.Object({}) },
  wait: { method: 'GET', path: '/stores', reply: Type.Object({}) },
  keep: { method: 'POST', path: '/kept', body: Lines, reply: Lines },
  ids: {
    method: 'GET',
    path: '/contexts',
    reply: Type.Object({ correlationId: Type.String(), requestId: Type.String() }),
  },
  hang: { method: 'GET', path: '/hanging', reply: Type.Object({}) },
  forget: { method: 'GET', path: '/forgotten', reply: Type.Object({}) },
  read: { method: 'GET', path: '/tales/:which', reply: Page(Tale) },
  ask: { method: 'GET', path: '/questions', reply: Type.Object({}), callers: ['notifier'] },
  pay: {
    method: 'PUT',
    path: '/payments/:id',
    body: Type.Object({ cents: Type.Integer() }),
    reply: Type.Object({}),
  },
})

/** Endless responses: begun, and still open. Requests that get no response: received, and closed. */
const seen = { begun: 0, endless: 0, silent: 0, left: 0 }

/** What `pay` was called with. */
export const paid: number[] = []

/** What `keep` was called with, which is also what it answered. */
let kept: Static<typeof Lines> = { lines: [] }

/** The service that answers in these tests; it does not know `forget`. */
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
  route(app, api.wait, async () => {
    throw new Unavailable('a store')
  })
  route(app, api.keep, async ({ body }) => (kept = body))
  route(app, api.ids, async () => ({ requestId: '', ...currentContext()! }))
  route(app, api.hang, () => new Promise(() => {}))
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
  app.route({
    method: ['GET', 'POST'],
    url: '/silent',
    handler: (_request, reply) => {
      seen.silent += 1
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
  seen.begun += 1
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
  /** Answers as "songs". */
  readonly app: FastifyInstance
  /** Of the gateway. */
  readonly calls: ServiceCall
  readonly callsOf: (service: ServiceName) => ServiceCall
}

/** What every ServiceCall must keep. `open` runs `answer` as the service "songs". */
export function callsConformance(name: string, open: () => Promise<CallsUnderTest>): void {
  test(`${name}: an operation is answered, its names, queries and bodies whole`, async () => {
    await using opened = await open()
    const sums = client(opened.calls, 'songs', api)
    const given = `Grüße / "🎵" %2e${'long'.repeat(100)}`
    const answered = await sums.add({
      params: { name: given },
      query: { twice: true, times: 3 },
      body: { numbers: [1, 2.5] },
    })
    expect(answered).toEqual({ name: given, sum: 7, times: 3 })
  })

  test(`${name}: text in place of a number is refused in a body, and in a query where it is none`, async () => {
    await using opened = await open()
    const sums = client(opened.calls, 'songs', api)
    const pay = sums.pay({ params: { id: 'text' }, body: { cents: '5' as unknown as number } })
    const refusal = { code: 'invalid_request', errors: [{ path: 'cents', message: 'must be integer' }] }
    await expect(pay).rejects.toMatchObject(refusal)
    const add = sums.add({
      params: { name: 'a' },
      query: { times: 'three' as unknown as number },
      body: { numbers: [1] },
    })
    await expect(add).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'querystring.times', message: 'must be integer' }],
    })
  })

  test(`${name}: an operation accepts the gateway and the callers that it names`, async () => {
    await using opened = await open()
    const as = (service: ServiceName) => client(opened.callsOf(service), 'songs', api)
    const pay = { params: { id: '1' }, body: { cents: 1 } }
    await as('gateway').ask()
    await as('notifier').ask()
    await as('gateway').pay(pay)
    await expect(as('credits').ask()).rejects.toMatchObject({ code: 'not_found' })
    await expect(as('notifier').pay(pay)).rejects.toMatchObject({ code: 'not_found' })
  })

  test(`${name}: an operation that the service does not have, as an older version of it, is unavailable`, async () => {
    await using opened = await open()
    for (const service of ['gateway', 'notifier'] as const)
      await expect(client(opened.callsOf(service), 'songs', api).forget()).rejects.toBeInstanceOf(Unavailable)
  })

  test(`${name}: caller and handler share no object`, async () => {
    await using opened = await open()
    const songs = client(opened.calls, 'songs', api)
    const body = { lines: [{ words: 'as sent' }] }
    const answered = await songs.keep({ body })
    body.lines[0]!.words = answered.lines[0]!.words = 'changed by the caller'
    expect(kept).toEqual({ lines: [{ words: 'as sent' }] })
    kept.lines[0]!.words = 'changed by the handler'
    expect([body, answered]).toEqual(Array(2).fill({ lines: [{ words: 'changed by the caller' }] }))
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

  test(`${name}: a refusal arrives as the same refusal, a bug as an error without details, and each is counted`, async () => {
    await using opened = await open()
    const sums = client(opened.calls, 'songs', api)
    const refused = await sums.refuse().catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'song_not_found', detail: 'Song not found in database.' })
    const failed = await sums.fail().catch((error: unknown) => error)
    expect(failed).not.toBeInstanceOf(AppError)
    expect(String(failed)).not.toContain('secret')
    const waiting = await sums.wait().catch((error: unknown) => error)
    expect(waiting).toBeInstanceOf(Unavailable)
    await eventually(async () => {
      const { values } = await opened.app.requests.get()
      const counts = values.filter(({ metricName = '' }) => metricName.endsWith('_count'))
      expect(counts.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
        { method: 'GET', route: '/refusals', status: 404, value: 1 },
        { method: 'GET', route: '/failures', status: 500, value: 1 },
        { method: 'GET', route: '/stores', status: 503, value: 1 },
      ])
    })
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

  test(`${name}: a service that does not answer or has stopped is Unavailable in time`, async () => {
    await using opened = await open()
    const silent = opened.calls.call('songs', { method: 'GET', path: '/silent', timeoutMs: 100 })
    await expect(silent).rejects.toBeInstanceOf(Unavailable)
    await opened[Symbol.asyncDispose]()
    await expect(client(opened.calls, 'songs', api).keep({ body: kept })).rejects.toBeInstanceOf(Unavailable)
  })

  test(`${name}: a caller that leaves in the middle of a response ends it`, async () => {
    await using opened = await open()
    const reply = await opened.calls.call('songs', { method: 'GET', path: '/endless' })
    for await (const chunk of reply.body) {
      expect((chunk as Buffer).length).toBeGreaterThan(0)
      break
    }
    reply.body.destroy()
    await eventually(() => expect(seen.endless).toBe(0))
  })

  test.for(['GET', 'POST'])(`${name}: a response that comes too late is aborted: %s`, async (method) => {
    await using opened = await open()
    const { begun } = seen
    const late = { method, path: '/endless?afterMs=600', timeoutMs: 300 }
    const headers = { 'content-type': 'application/json' }
    const called = opened.calls.call('songs', method === 'GET' ? late : { ...late, headers, body: '{}' })
    await expect(called).rejects.toBeInstanceOf(Unavailable)
    await eventually(() => expect(seen.begun).toBe(begun + 1))
    await eventually(() => expect(seen.endless).toBe(0))
  })

  test.for(['before the call', 'midway'])(
    `${name}: a body that breaks off ends the call and the request: %s`,
    async (when) => {
      await using opened = await open()
      const { silent, left } = seen
      const body = new Readable({ read() {} })
      body.push('half of it')
      const breakOff = async (): Promise<void> => {
        if (when === 'midway') await eventually(() => expect(seen.silent).toBe(silent + 1))
        body.destroy()
      }
      if (when === 'before the call') await breakOff()
      const headers = { 'content-type': 'application/octet-stream' }
      const request = { method: 'POST', path: '/silent', headers, body, timeoutMs: 60_000 }
      const called = opened.calls.call('songs', request)
      await Promise.all([expect(called).rejects.toBeInstanceOf(Unavailable), breakOff()])
      if (when === 'midway') await eventually(() => expect(seen.left).toBe(left + 1))
    },
  )

  test(`${name}: the ids of the request go along`, async () => {
    await using opened = await open()
    const ids = { correlationId: 'a-correlation-id', requestId: 'a-request-id' }
    expect(await context.run(ids, () => client(opened.calls, 'songs', api).ids())).toEqual(ids)
  })
}
