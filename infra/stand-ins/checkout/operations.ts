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
        currency: oneOf('usd'),
        unit_amount: integer(0, 99_999_999),
        product_data: fields({ name: text(250) }),
      }),
    }),
  ),
  metadata: optional(metadata),
  payment_intent_data: optional(fields({ metadata: optional(metadata) })),
})

const MIN_AMOUNT = 50
const MAX_AMOUNT = 99_999_999

/** POST /v1/checkout/sessions */
export function createSession({ wires, now }: Engine, form: Tree): Written {
  const order = readSessionOrder(form, '')
  const total = order.line_items.reduce((sum, item) => sum + item.quantity * item.price_data.unit_amount, 0)
  if (total < MIN_AMOUNT)
    throw invalid('amount_too_small', null, `The total amount must be at least ${MIN_AMOUNT}.`)
  if (total > MAX_AMOUNT)
    throw invalid('amount_too_large', null, `The total amount must be at most ${MAX_AMOUNT}.`)
  const created = now()
  const id = drawId('cs_test')
  const checkout: Checkout = {
    session: {
      id,
      object: 'checkout.session',
      amount_total: total,
      cancel_url: order.cancel_url ?? null,
      client_reference_id: order.client_reference_id ?? null,
      created,
      currency: 'usd',
      customer_email: order.customer_email ?? null,
      expires_at: created + SESSION_LIFETIME_SECONDS,
      livemode: false,
      metadata: order.metadata ?? {},
      mode: 'payment',
      payment_intent: null,
      payment_status: 'unpaid',
      status: 'open',
      success_url: order.success_url,
    },
    product: order.line_items.map(({ price_data }) => price_data.product_data.name).join(', '),
    intentMetadata: order.payment_intent_data?.metadata ?? {},
  }
  return {
    effect: { changes: [['checkout', id, checkout]], events: [] },
    answer: () => wires.session(checkout),
  }
}

/** POST /v1/checkout/sessions/:id/expire */
export function expireSession({ store, wires }: Engine, id: string): Written {
  const checkout = store.get('checkout', id)
  if (!checkout) throw missing('checkout.session', id)
  if (checkout.session.status !== 'open')
    throw invalid(null, null, `Only Checkout Sessions with a status of "open" can be expired.`)
  return { effect: expire(checkout), answer: () => wires.of('checkout', id) ?? {} }
}

const readRefundOrder = fields({
  payment_intent: text(),
  amount: integer(1, MAX_AMOUNT),
  metadata: optional(metadata),
  expand,
})

/** POST /v1/refunds */
export function createRefund(engine: Engine, form: Tree): Written {
  const order = readRefundOrder(form, '')
  const charge = chargeFor(engine, order.payment_intent)
  const made = refund(charge, { amount: order.amount, metadata: order.metadata ?? {} }, engine.now())
  return {
    effect: made,
    answer: () => engine.wires.expand(engine.wires.of('refund', made.refund.id) ?? {}, order.expand ?? []),
  }
}

function chargeFor({ store }: Engine, intentId: string): Charge {
  const intent = store.get('intent', intentId)
  if (!intent) throw missing('payment_intent', intentId)
  const charge = intent.latest_charge === null ? undefined : store.get('charge', intent.latest_charge)
  if (!charge)
    throw invalid(null, 'payment_intent', `PaymentIntent ${intentId} has no successful charge to refund.`)
  return charge
}

const readSessionQuery = fields({ expand })

/** GET /v1/checkout/sessions/:id */
export function retrieveSession({ wires }: Engine, id: string, query: Tree): Record<string, unknown> {
  const { expand: paths } = readSessionQuery(query, '')
  const session = wires.of('checkout', id)
  if (!session) throw missing('checkout.session', id)
  return wires.expand(session, paths ?? [])
}
