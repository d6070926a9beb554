import { dispute, failRefund, lose, refund, reinstate } from './after-payment.ts'
import { chargeOf, type Effect, expire, fail, Impossible, settle } from './effects.ts'
import type { Engine } from './engine.ts'
import type { Checkout } from './objects.ts'
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
