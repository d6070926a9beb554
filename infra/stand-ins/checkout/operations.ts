import { refund } from './after-payment.ts'
import { type Effect, expire } from './effects.ts'
import type { Engine } from './engine.ts'
import { email, fields, integer, list, metadata, oneOf, optional, text, type Tree, url } from './form.ts'
import { type Charge, type Checkout, drawId } from './objects.ts'
import { invalid, missing } from './stripe-error.ts'

/** The effects of a writing call and its answer, which is made after them. */
export interface Written {
  readonly effect: Effect
  readonly answer: () => Record<string, unknown>
}

const SESSION_LIFETIME_SECONDS = 24 * 60 * 60
const SHORTEST_LIFETIME_SECONDS = 30 * 60

const expand = optional(list(text()))

const readSessionOrder = fields({
  mode: oneOf('payment'),
  success_url: url,
  cancel_url: optional(url),
  client_reference_id: optional(text(200)),
  customer_email: optional(email),
  line_items: list(
    fields({
      quantity: integer(1, 999_999),
      price_data: fields({
        currency: oneOf('usd', 'eur', 'gbp', 'ngn'),
        unit_amount: integer(0, 99_999_999),
        product_data: fields({ name: text(250), description: optional(text()) }),
      }),
    }),
  ),
  metadata: optional(metadata),
  payment_intent_data: optional(fields({ metadata: optional(metadata), description: optional(text(1_000)) })),
  payment_method_types: optional(list(oneOf('card'))),
  expires_at: optional(integer(0, 99_999_999_999)),
  locale: optional(text(20)),
  submit_type: optional(oneOf('auto', 'book', 'donate', 'pay')),
  expand,
})

const MIN_AMOUNT = 50
const MAX_AMOUNT = 99_999_999

/** POST /v1/checkout/sessions */
export function createSession({ wires, now }: Engine, form: Tree): Written {
  const order = readSessionOrder(form, '')
  const [first] = order.line_items
  if (first === undefined)
    throw invalid('parameter_missing', 'line_items', 'Missing required param: line_items.')
  const { currency } = first.price_data
  if (order.line_items.some(({ price_data }) => price_data.currency !== currency))
    throw invalid(null, 'line_items', 'All line items must have the same currency.')
  const total = order.line_items.reduce((sum, item) => sum + item.quantity * item.price_data.unit_amount, 0)
  if (total < MIN_AMOUNT)
    throw invalid('amount_too_small', null, `The total amount must be at least ${MIN_AMOUNT}.`)
  if (total > MAX_AMOUNT)
    throw invalid('amount_too_large', null, `The total amount must be at most ${MAX_AMOUNT}.`)
  const created = now()
  const expires_at = order.expires_at ?? created + SESSION_LIFETIME_SECONDS
  if (expires_at < created + SHORTEST_LIFETIME_SECONDS || expires_at > created + SESSION_LIFETIME_SECONDS) {
    const message =
      'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.'
    throw invalid(null, 'expires_at', message)
  }
  const id = drawId('cs_test')
  const checkout: Checkout = {
    session: {
      id,
      object: 'checkout.session',
      amount_subtotal: total,
      amount_total: total,
      cancel_url: order.cancel_url ?? null,
      client_reference_id: order.client_reference_id ?? null,
      created,
      currency,
      customer: null,
      customer_email: order.customer_email ?? null,
      expires_at,
      livemode: false,
      metadata: order.metadata ?? {},
      mode: 'payment',
      payment_intent: null,
      payment_method_types: order.payment_method_types ?? ['card'],
      payment_status: 'unpaid',
      status: 'open',
      success_url: order.success_url,
    },
    product: order.line_items.map(({ price_data }) => price_data.product_data.name).join(', '),
    intentMetadata: order.payment_intent_data?.metadata ?? {},
    description: order.payment_intent_data?.description ?? null,
  }
  return {
    effect: { changes: [['checkout', id, checkout]], events: [] },
    answer: () => wires.expand(wires.session(checkout), order.expand ?? []),
  }
}

const readExpandOnly = fields({ expand })

/** POST /v1/checkout/sessions/:id/expire */
export function expireSession({ store, wires }: Engine, id: string, form: Tree): Written {
  readExpandOnly(form, '')
  const checkout = store.get('checkout', id)
  if (!checkout) throw missing('checkout.session', id)
  if (checkout.session.status !== 'open')
    throw invalid(null, null, `Only Checkout Sessions with a status of "open" can be expired.`)
  return { effect: expire(checkout), answer: () => wires.of('checkout', id) ?? {} }
}

const readRefundOrder = fields({
  payment_intent: optional(text()),
  charge: optional(text()),
  amount: optional(integer(1, MAX_AMOUNT)),
  reason: optional(oneOf('duplicate', 'fraudulent', 'requested_by_customer')),
  metadata: optional(metadata),
  expand,
})

/** POST /v1/refunds */
export function createRefund(engine: Engine, form: Tree): Written {
  const order = readRefundOrder(form, '')
  const charge = chargeFor(engine, order)
  const made = refund(
    charge,
    { amount: order.amount, reason: order.reason ?? null, metadata: order.metadata ?? {} },
    engine.now(),
  )
  return {
    effect: made,
    answer: () => engine.wires.expand(engine.wires.of('refund', made.refund.id) ?? {}, order.expand ?? []),
  }
}

function chargeFor(
  { store }: Engine,
  order: { payment_intent: string | undefined; charge: string | undefined },
): Charge {
  if (order.charge !== undefined) {
    const charge = store.get('charge', order.charge)
    if (!charge) throw missing('charge', order.charge)
    return charge
  }
  if (order.payment_intent === undefined)
    throw invalid(
      'parameter_missing',
      'payment_intent',
      'One of the following params should be provided: payment_intent or charge.',
    )
  const intent = store.get('intent', order.payment_intent)
  if (!intent) throw missing('payment_intent', order.payment_intent)
  const charge = intent.latest_charge === null ? undefined : store.get('charge', intent.latest_charge)
  if (!charge)
    throw invalid(
      null,
      'payment_intent',
      `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
    )
  return charge
}

const NAMES = {
  checkout: 'checkout.session',
  intent: 'payment_intent',
  charge: 'charge',
  refund: 'refund',
  dispute: 'dispute',
}

/** GET of one object by its id. */
export function retrieve({ wires }: Engine, collection: keyof typeof NAMES, id: string, query: Tree) {
  const { expand: paths } = readExpandOnly(query, '')
  const object = wires.of(collection, id)
  if (!object) throw missing(NAMES[collection], id)
  return wires.expand(object, paths ?? [])
}
