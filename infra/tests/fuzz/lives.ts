import { WAIT_MS } from '@prelude/platform/eventually'
import { sendWebhook } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import { caller, type Caller, done, type Person, signIn } from '../support/person.ts'
import type { ProductProcess } from '../support/product-process.ts'
import { assertDocumented, type Document, type NamedOperation, operationsOf } from '../system/api/document.ts'
import { type Call, callOf } from './call.ts'
import { ODD, type Random } from './generate.ts'
import { createPools } from './pools.ts'

/** Streams that do not end. */
const ENDLESS = /^\/api\/(operator\/ops\/)?live$/
/** They end a session, so that they are rare. */
const ENDS = /\/(logout|logout-everywhere|close|lock)$|sessions/
/** Needs the key of a provider that is not configured: its documented answer is 501. */
const OFF = 'POST /api/payments/alternate'
const LAST = 12

/**
 * People and the operator who call any operation in any order, with what earlier calls answered. Each answer must come, be no 5xx
 * and be described by the document.
 */
export function livesOf(product: ProductProcess, document: Document, random: Random) {
  const operations = operationsOf(document).flatMap((one) => Array<NamedOperation>(weightOf(one)).fill(one))
  const people = new Map<string, Person>()
  const log: string[] = []
  const statuses = new Map<string, Set<number>>()

  const { keep, recent, known, idOf, collect } = createPools(random, product.endpoints.operator.password)

  const callers: readonly (readonly [string, () => Promise<Caller>])[] = [
    ['visitor', async () => caller(product)],
    ['ada', () => callerOf('ada', 'ada@example.test')],
    ['bola', () => callerOf('bola', 'bola@example.test')],
    ['locked', () => callerOf('locked', product.endpoints.operator.email)],
    ['operator', operator],
    ['operator', operator],
  ]
  async function callerOf(name: string, email: string): Promise<Caller> {
    const person = people.get(name) ?? (await signIn(product, { email, name: `${name} Obi` }))
    people.set(name, person)
    keep('.uid', person.uid)
    keep('.userId', person.uid)
    keep('.email', person.email)
    return person.call
  }
  async function operator(): Promise<Caller> {
    const call = await callerOf('operator', product.endpoints.operator.email)
    const { body } = await call<{ operator?: { unlocked: boolean } }>('GET', '/api/me')
    if (body.operator?.unlocked === false)
      done(
        await call('POST', '/api/operator/unlock', {
          json: { password: product.endpoints.operator.password },
        }),
      )
    return call
  }

  /** One call of somebody, sometimes by several at once; and now and then what a customer does at the checkout. */
  async function step(): Promise<void> {
    if (random.chance(0.05)) return checkout()
    if (random.chance(0.02)) return webhook()
    const operation = random.pick(operations)
    const [name, callerNow] = random.pick(callers)
    const call = callOf(random, operation, known, idOf)
    const send = await callerNow()
    const times = random.chance(0.05) ? 3 : 1
    log.push(`${name} ×${times}: ${describe(call)}`)
    log.splice(0, log.length - LAST)
    await Promise.all(Array.from({ length: times }, () => answer(name, send, operation, call)))
  }

  async function answer(name: string, send: Caller, operation: NamedOperation, call: Call): Promise<void> {
    const { method, path, sending } = call
    if (ENDLESS.test(operation.path)) return listen(people.get(name)?.cookie, path)
    const reply = await send<unknown>(method, path, sending)
    const { status, headers, body } = reply
    statuses.set(operation.name, (statuses.get(operation.name) ?? new Set()).add(status))
    if (status >= 500 && !(status === 501 && operation.name === OFF)) throw new Error(`answered ${status}`)
    if (headers['x-evil'] !== undefined) throw new Error('a header came from the path')
    if (status >= 400 && INTERNAL.test(JSON.stringify(body))) throw new Error('it says what is inside')
    assertDocumented(document, method, path, reply)
    if (status === 401 && !/^\/api\/(auth|webhooks)/.test(path)) people.delete(name)
    if (status >= 300) return
    if (headers.location !== undefined) keep('uploads', headers.location.split('/').at(-1))
    collect(body, operation.path)
  }

  /** Until its first event, or its refusal. */
  async function listen(cookie: string | undefined, path: string): Promise<void> {
    const leave = new AbortController()
    const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(WAIT_MS)])
    const headers = { ...(cookie !== undefined && { cookie }) }
    const response = await fetch(`${product.endpoints.web}${path}`, { headers, signal })
    await response.body?.getReader().read()
    leave.abort()
    if (response.status >= 500) throw new Error(`answered ${response.status}`)
  }

  async function checkout(): Promise<void> {
    const url = recent('checkouts')
    if (typeof url !== 'string') return
    if (random.chance(0.7)) {
      await press({ url }, random.pick(['pay', 'pay', 'pay_later', 'decline', 'cancel'] as const))
      return
    }
    const act = random.pick(['settle', 'fail', 'expire', 'refund', 'dispute', 'reinstate'])
    const control = `${product.endpoints.checkout}/control/sessions/${url.split('/').at(-1)}/${act}`
    const body = JSON.stringify(act === 'refund' ? { amount: 1 } : {})
    await fetch(control, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  }

  /** Signed as by the provider, about a session that may be ours, with fields that may be none. */
  async function webhook(): Promise<void> {
    const object = {
      id: recent('.session_id') ?? 'cs_none',
      object: 'checkout.session',
      status: random.pick(['complete', 'expired', 'open']),
      payment_status: random.pick(['unpaid', 'no_payment_required', null]),
      amount_total: random.pick([100, -1, 1e15, null]),
      currency: random.pick(['usd', 'eur', '']),
      metadata: random.pick<unknown>([{}, null, { userId: recent('.uid') }]),
      payment_intent: random.pick(['pi_1', null]),
      livemode: random.chance(0.5),
    }
    const event = {
      id: `evt_${random.whole(50)}`,
      type: random.pick(EVENTS),
      created: random.whole(2_000_000_000),
      livemode: false,
      data: { object: random.chance(0.9) ? object : random.pick(ODD) },
    }
    log.push(`webhook ${JSON.stringify(event)}`)
    const { status } = await sendWebhook(caller(product), event)
    if (status >= 500) throw new Error(`answered ${status}`)
  }

  return {
    step: () =>
      step().catch((error: unknown) => {
        throw new Error(`after\n${log.join('\n')}`, { cause: error })
      }),
    /** By operation. */
    statuses,
    operator,
  }
}

const EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.closed',
  'customer.created',
]
/** Of a stack, a statement or a library. */
const INTERNAL = /node_modules|\.ts:\d|\bat (async )?\w+ \(|select .* from|ECONN|syntax error/i
/** What most other calls need. */
const BUSY = /^POST \/api\/(songs|payments|operator\/songs\/\{id\}\/fulfil|operator\/uploads)$/
const weightOf = ({ name, path }: NamedOperation): number =>
  ENDS.test(path) ? 1 : BUSY.test(name) ? 25 : /^(POST|PUT|PATCH) /.test(name) ? 6 : 2

const describe = ({ method, path, sending: { json, raw, headers } }: Call): string => {
  const body =
    json === undefined
      ? raw instanceof FormData
        ? '[form]'
        : `[${raw?.length ?? 0} bytes]`
      : JSON.stringify(json)
  return `${method} ${path} ${JSON.stringify(headers)} ${body.slice(0, 500)}`
}
