import type { Charge, Checkout, Dispute, Intent, Refund } from './objects.ts'
import type { Store } from './store.ts'
import { invalid } from './stripe-error.ts'
import { CHARGE, customerDetails, DISPUTE, INTENT, REFUND, SESSION } from './unused.ts'

type Wire = Record<string, unknown>

/** Objects as on the wire: with the current URLs of this sandbox. */
export interface Wires {
  session(checkout: Checkout): Wire
  charge(charge: Charge): Wire
  /** An object of any collection. */
  of(collection: keyof Expandable, id: string): Wire | undefined
  /** Replaces ids by their objects, for `expand`. Errors: StripeError. */
  expand(wire: Wire, paths: readonly string[]): Wire
}

interface Expandable {
  checkout: Checkout
  intent: Intent
  charge: Charge
  refund: Refund
  dispute: Dispute
}

const EXPANDED_FROM: Record<string, keyof Expandable> = {
  payment_intent: 'intent',
  latest_charge: 'charge',
  charge: 'charge',
}

const UNUSED = { intent: INTENT, refund: REFUND, dispute: DISPUTE }

export function wires(store: Store, publicUrl: () => string): Wires {
  const session = ({ session }: Checkout): Wire => ({
    ...SESSION,
    ...session,
    url: session.status === 'open' ? `${publicUrl()}/c/pay/${session.id}` : null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    customer_details: session.customer_email === null ? null : customerDetails(session.customer_email),
  })
  const charge = (charge: Charge): Wire => ({
    ...CHARGE,
    ...charge,
    receipt_url: `${publicUrl()}/receipts/${charge.id}`,
  })
  const of = (collection: keyof Expandable, id: string): Wire | undefined => {
    const found = store.get(collection, id)
    if (found === undefined) return undefined
    if (collection === 'checkout') return session(found as Checkout)
    if (collection === 'charge') return charge(found as Charge)
    return { ...UNUSED[collection], ...(found as Intent | Refund | Dispute) }
  }
  const expandOne = (wire: Wire, [name, ...rest]: string[], path: string): Wire => {
    const collection = name === undefined ? undefined : EXPANDED_FROM[name]
    if (name === undefined || collection === undefined || !(name in wire))
      throw invalid(null, 'expand', `This property cannot be expanded (${path}).`)
    const value = wire[name]
    const object = typeof value === 'string' ? of(collection, value) : (value as Wire | null)
    if (!object) return wire
    return { ...wire, [name]: rest.length > 0 ? expandOne(object, rest, path) : object }
  }
  return {
    session,
    charge,
    of,
    expand: (wire, paths) => paths.reduce((sum, path) => expandOne(sum, path.split('.'), path), wire),
  }
}
