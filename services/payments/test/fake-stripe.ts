import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What a test wants the provider to answer instead: a status and body, a cut connection, or its work without an answer. */
export type Answer =
  | { readonly status: number; readonly body: unknown; readonly isDone?: boolean }
  | 'hang-up'
  | 'too-late'

/** The SDK itself tries once more when a connection is cut. */
export const HANG_UP: readonly Answer[] = ['hang-up', 'hang-up']

export interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly form: Record<string, string>
  readonly idempotencyKey: string | undefined
}

export interface FakeStripe extends AsyncDisposable {
  readonly url: string
  readonly calls: Call[]
  /** Answers to the next calls, first come first served; then it works again. */
  readonly answers: Answer[]
  /** Sessions by id, as they are fetched. */
  readonly sessions: Map<string, Record<string, unknown>>
  /** The events that it has sent, or tried to send, newest first. */
  readonly events: (Record<string, unknown> & { id: string; created: number })[]
  /** The state of the next refunds. */
  refundStatus: string
}

/** A small server at the vendor's edge: it makes a session a key, refunds, and shows sessions. */
export async function fakeStripe(): Promise<FakeStripe> {
  const calls: Call[] = []
  const answers: Answer[] = []
  const sessions = new Map<string, Record<string, unknown>>()
  const byKey = new Map<string, Record<string, unknown>>()
  const refunded = new Map<string, number>()
  const refunds: Record<string, unknown>[] = []
  const events: FakeStripe['events'] = []

  const work = (call: Call): { status: number; body: unknown } => {
    if (call.method === 'POST' && call.path === '/v1/checkout/sessions') {
      const id = `cs_test_${byKey.size + 1}_${call.form['client_reference_id']}`
      const session = {
        id,
        object: 'checkout.session',
        url: `https://checkout.test/c/pay/${id}`,
        status: 'open',
      }
      sessions.set(id, session)
      return { status: 200, body: session }
    }
    if (call.method === 'POST' && call.path === '/v1/refunds') {
      const intent = call.form['payment_intent'] ?? ''
      const sum = (refunded.get(intent) ?? 0) + Number(call.form['amount'])
      refunded.set(intent, sum)
      const { refundStatus: status } = fake
      if (status === 'failed') refunded.set(intent, sum - Number(call.form['amount']))
      const charge = {
        id: 'ch_1',
        object: 'charge',
        payment_intent: intent,
        amount_refunded: refunded.get(intent),
        receipt_url: 'https://r.test/1',
      }
      const amount = Number(call.form['amount'])
      const made = {
        id: `re_${call.idempotencyKey}`,
        object: 'refund',
        status,
        amount,
        created: REFUNDED_AT,
        payment_intent: intent,
        metadata: { refundId: call.form['metadata[refundId]'], paymentId: call.form['metadata[paymentId]'] },
      }
      refunds.push({ ...made, charge })
      return { status: 200, body: refunds.at(-1) }
    }
    if (call.path === '/v1/refunds') {
      const data = refunds.filter(({ payment_intent: of }) => of === call.query.get('payment_intent'))
      return { status: 200, body: { object: 'list', url: '/v1/refunds', has_more: false, data } }
    }
    if (call.path === '/v1/events') return { status: 200, body: eventPage(events, call.query) }
    const [, expiring] = /^\/v1\/checkout\/sessions\/([\w-]+)\/expire$/.exec(call.path) ?? []
    if (expiring !== undefined) return expire(sessions, expiring)
    const session = sessions.get(call.path.split('/').at(-1) ?? '')
    if (session) return { status: 200, body: session }
    return {
      status: 404,
      body: { error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such thing' } },
    }
  }

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const call = await readCall(req)
    calls.push(call)
    const given = answers.shift()
    if (given === 'hang-up') {
      req.socket.destroy()
      return
    }
    const instead = given === 'too-late' ? undefined : given
    const known = call.idempotencyKey === undefined ? undefined : byKey.get(call.idempotencyKey)
    if (instead?.isDone) work(call)
    const { status, body } = instead ?? (known ? { status: 200, body: known } : work(call))
    if (!instead && call.idempotencyKey !== undefined)
      byKey.set(call.idempotencyKey, body as Record<string, unknown>)
    if (given === 'too-late') return
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer((req, res) => void answer(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const fake: FakeStripe = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answers,
    sessions,
    events,
    refundStatus: 'succeeded',
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return fake
}

/** What is not open cannot expire. */
function expire(sessions: FakeStripe['sessions'], id: string): { status: number; body: unknown } {
  const session = sessions.get(id)
  if (session?.['status'] !== 'open')
    return { status: 400, body: { error: { type: 'invalid_request_error', message: 'Not open' } } }
  const expired = { ...session, status: 'expired' }
  sessions.set(id, expired)
  return { status: 200, body: expired }
}

/** Seconds since the epoch. */
export const REFUNDED_AT = 1_790_000_100

/** Two at a time, so that a reader has to turn pages. */
function eventPage(events: FakeStripe['events'], query: URLSearchParams) {
  const types = [...query].filter(([name]) => name.startsWith('types[')).map(([, type]) => type)
  const wanted = events.filter(
    ({ type, created }) => types.includes(String(type)) && created >= Number(query.get('created[gte]')),
  )
  const start = wanted.findIndex(({ id }) => id === query.get('starting_after')) + 1
  const data = wanted.slice(start, start + 2)
  return { object: 'list', url: '/v1/events', has_more: wanted.length > start + 2, data }
}

async function readCall(req: IncomingMessage): Promise<Call> {
  const key = req.headers['idempotency-key']
  const [path = '', query = ''] = (req.url ?? '').split('?')
  return {
    method: req.method ?? '',
    path,
    query: new URLSearchParams(query),
    form: Object.fromEntries(new URLSearchParams(await text(req))),
    idempotencyKey: typeof key === 'string' ? key : undefined,
  }
}
