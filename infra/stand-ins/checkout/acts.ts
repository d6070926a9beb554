import { dispute, failRefund, lose, refund, reinstate } from './after-payment.ts'
import { chargeOf, type Effect, expire, fail, Impossible, settle } from './effects.ts'
import type { Engine } from './engine.ts'
import { type Checkout, drawId, type StripeEvent } from './objects.ts'
import { invalid } from './stripe-error.ts'

type Body = Readonly<Record<string, unknown>>

/**
 * Later acts of the payment provider, by name. Each answers its effects, or throws: Impossible in the state of the checkout,
 * StripeError for a bad body.
 */
export const ACTS: Readonly<Record<string, (engine: Engine, checkout: Checkout, body: Body) => Effect>> = {
  settle: (engine, checkout) => settle(engine.store, checkout, engine.now()),
  fail: (engine, checkout) => fail(engine.store, checkout),
  expire: (_engine, checkout) => expire(checkout),
  refund: (engine, checkout, { amount }) => refundByHand(engine, checkout, amount),
  'fail-refund': (engine, checkout) => failRefund(engine.store, chargeOf(engine.store, checkout)),
  dispute: (engine, checkout) => dispute(chargeOf(engine.store, checkout), engine.now()),
  reinstate: (engine, checkout) => reinstate(engine.store, chargeOf(engine.store, checkout)),
  lose: (engine, checkout) => lose(engine.store, chargeOf(engine.store, checkout)),
  resend: (engine, checkout) => again(engine, checkout, (event) => event),
  restate: (engine, checkout) => again(engine, checkout, (event) => ({ ...event, id: drawId('evt') })),
  mismatch: (_engine, checkout, { what = 'amount' }) => mismatch(checkout, what),
}

/** Sends all events of a checkout again, with the same or with new ids. */
function again(engine: Engine, { session }: Checkout, change: (event: StripeEvent) => StripeEvent): Effect {
  const events = engine.store.list('event').filter(({ data }) => {
    const object = data.object as { id?: unknown; payment_intent?: unknown }
    return (
      object.id === session.id ||
      (session.payment_intent !== null && object.payment_intent === session.payment_intent)
    )
  })
  if (events.length === 0) throw new Impossible('No event of this checkout was sent.')
  return { changes: [], events: [], again: events.map(change) }
}

/** A forged or mixed-up message about a paid checkout. */
const MISMATCHES: Readonly<Record<string, (checkout: Checkout) => Readonly<Record<string, unknown>>>> = {
  amount: ({ session }) => ({ amount_total: session.amount_total - 1 }),
  currency: () => ({ currency: 'eur' }),
  livemode: () => ({ livemode: true }),
  person: () => ({ metadata: {} }),
}

function mismatch(checkout: Checkout, what: unknown): Effect {
  const over = typeof what === 'string' && Object.hasOwn(MISMATCHES, what) ? MISMATCHES[what] : undefined
  if (!over)
    throw invalid('parameter_invalid', 'what', `what must be one of ${Object.keys(MISMATCHES).join(', ')}`)
  const said = { status: 'complete', payment_status: 'paid', ...over(checkout) }
  return {
    changes: [],
    events: [
      { type: 'checkout.session.completed', collection: 'checkout', id: checkout.session.id, over: said },
    ],
  }
}

/** `dollars` defaults to all that is left. */
function refundByHand(engine: Engine, checkout: Checkout, dollars: unknown): Effect {
  const charge = chargeOf(engine.store, checkout)
  const amount = dollars === undefined ? undefined : centsOf(dollars)
  try {
    return refund(charge, { amount, metadata: {} }, engine.now())
  } catch (error) {
    throw new Impossible(error instanceof Error ? error.message : String(error))
  }
}

function centsOf(dollars: unknown): number {
  const cents = typeof dollars === 'number' ? Math.round(dollars * 100) : Number.NaN
  if (!Number.isSafeInteger(cents) || cents < 1 || cents / 100 !== dollars)
    throw invalid('parameter_invalid_integer', 'amount', 'amount must be dollars, with at most two decimals')
  return cents
}
