import { randomBytes, randomUUID } from 'node:crypto'
import { defineApi, Empty, topicOf } from '@prelude/contracts'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { eventually } from './support/eventually.ts'
import { on, onMany, type Subscriber } from '../src/events/index.ts'
import { client, httpCalls, inProcessCalls, internalApp, route, type ServiceCall } from '../src/http/index.ts'
import { inSpan, startTracing, traceRequests } from '../src/observability/index.ts'
import {
  type CollectedSpan,
  createConsumer,
  messageOf,
  testIdentity,
  testLogger,
  testService,
  traceCollector,
  type TraceCollector,
  wholeLog,
} from './support/index.ts'
import { Counted, TOPIC } from './conformance/counted.ts'

const Added = { ...Counted, topic: topicOf('credits'), type: 'Added' } as const

/** An event of a trace of its own. */
const event = (position: number) => ({
  ...messageOf(Counted, { uid: `u${position}`, n: 1 }, { id: randomUUID(), position, at: 1 }),
  traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
})
const traceOf = ({ traceparent = '' }: { traceparent?: string }) => traceparent.split('-')[1]

let collector: TraceCollector
let endTracing: () => Promise<void>
beforeAll(async () => {
  collector = await traceCollector()
  // the exporter reads them itself
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '50')
  endTracing = await startTracing('credits', process.env)
})
afterAll(async () => {
  vi.unstubAllEnvs() // other files share the process
  await endTracing()
  await collector[Symbol.asyncDispose]()
})

/** Handles a batch: the spans of its handling, and for each event that was emitted the position of its cause and its trace. */
async function handle(subscriber: Subscriber, messages: readonly ReturnType<typeof event>[]) {
  const migrations = new URL('tally/', import.meta.url)
  const subscribers = [subscriber]
  const routes = (): void => {}
  await using service = await testService(() => ({ name: 'credits', migrations, subscribers, routes }))
  const consumer = createConsumer({ service: 'credits', db: service.db, subscribers, logger: testLogger() })
  await consumer.receive(wholeLog(TOPIC, messages))
  const sql = `select (data ->> 'n')::integer as position, traceparent from event order by 1`
  const { rows } = await service.db.query<{ position: number; traceparent: string }>(sql)
  const traces = new Set(messages.map(traceOf))
  return {
    spans: () =>
      collector.spans.filter(
        ({ name, traceId, links = [] }) =>
          name === 'handle Counted' &&
          [traceId, ...links.map((link) => link.traceId)].some((id) => traces.has(id)),
      ),
    emitted: rows.map((row) => [row.position, traceOf(row)]),
  }
}

test('a batch handler gets its batch with traces on too: one span with links, and what an event causes is in its own trace', async () => {
  const sizes: number[] = []
  const messages = [event(1), event(2), event(3)]
  const { spans, emitted } = await handle(
    onMany(Counted, async (events, tx) => {
      sizes.push(events.length)
      for (const one of events) tx.emit(Added, { uid: one.key, n: one.position }, one)
    }),
    messages,
  )
  expect(sizes).toEqual([3])
  await eventually(() => expect(spans()).toHaveLength(1))
  const [{ traceId, links } = {} as CollectedSpan] = spans()
  expect(links?.map((link) => link.traceId)).toEqual(messages.map(traceOf))
  expect(messages.map(traceOf)).not.toContain(traceId)
  expect(emitted).toEqual(messages.map((one) => [one.position, traceOf(one)]))
})

test.for([
  [
    'a handler of single events',
    on(Counted, async (one, tx) => tx.emit(Added, { uid: one.key, n: one.position })),
  ],
  [
    'a batch handler with one event',
    onMany(Counted, async ([one], tx) => one && tx.emit(Added, { uid: one.key, n: one.position }, one)),
  ],
] as const)('the span of %s continues the trace of its event', async ([, subscriber]) => {
  const messages = subscriber.isBatch ? [event(1)] : [event(1), event(2)]
  const { spans, emitted } = await handle(subscriber, messages)
  await eventually(() =>
    expect(spans().map(({ traceId, parentSpanId }) => [traceId, parentSpanId])).toEqual(
      messages.map(({ traceparent }) => traceparent.split('-').slice(1, 3)),
    ),
  )
  expect(emitted).toEqual(messages.map((one) => [one.position, traceOf(one)]))
})

test('a call in the process is the server span that it is over HTTP, in the trace of its caller', async () => {
  const api = defineApi({
    give: { method: 'GET', path: '/given/:what', reply: Empty },
    fail: { method: 'GET', path: '/failed/:what', reply: Empty },
  })
  const [identity, clock] = [testIdentity('credits'), systemClock]
  const app = internalApp({ identity, logger: testLogger(), clock })
  route(app, api.give, async () => ({}))
  route(app, api.fail, () => Promise.reject(new TypeError('a bug')))
  const credits = await app.listen({ host: '127.0.0.1', port: 0 })
  const gateway = testIdentity('gateway')
  const spansOf = async (calls: ServiceCall, caller: string) => {
    const { give, fail } = client(calls, 'credits', api)
    const params = { what: 'one' }
    await inSpan(caller, {}, async () => {
      await give({ params })
      await expect(fail({ params })).rejects.toThrow('credits answered 500')
    })
    return eventually(() => {
      const { traceId, spanId } = collector.spans.find(({ name }) => name === caller)!
      const called = collector.spans.filter((span) => span.parentSpanId === spanId)
      expect(called.map((span) => span.traceId)).toEqual([traceId, traceId])
      return called.map(({ name, kind, attributes, status }) => ({ name, kind, attributes, status }))
    })
  }
  const overHttp = await spansOf(httpCalls({ credits }, gateway, clock), 'calls over HTTP')
  expect(overHttp.map(({ name }) => name)).toEqual(['GET /given/:what', 'GET /failed/:what'])
  const inProcess = inProcessCalls(new Map([['credits', app]]), gateway, clock)
  expect(await spansOf(inProcess, 'calls in the process')).toEqual(overHttp)
  await app.close()
})

test('a request of the public endpoint is a trace of its own, linked to the one that its sender names', async () => {
  const { traceparent } = event(1)
  const app = Fastify()
  traceRequests(app, 'gateway', { isPublic: true })
  app.get('/public', async () => ({}))
  await app.inject({ url: '/public', headers: { traceparent } })
  const span = await eventually(() => {
    const sender = traceOf({ traceparent })
    const found = collector.spans.find(({ links = [] }) => links.some(({ traceId }) => traceId === sender))
    if (!found) throw new Error('not exported yet')
    return found
  })
  expect(span).toMatchObject({ name: 'GET /public', links: [expect.anything()] })
  expect(span.traceId).not.toBe(traceOf({ traceparent }))
  expect(span.parentSpanId ?? '').toBe('')
  await app.close()
})
