import type { Charge, Checkout, Dispute, Intent, Refund } from './objects.ts'
import type { Store } from './store.ts'
import { invalid } from './stripe-error.ts'

type Wire = Record<string, unknown>

/** Objects as on the wire: with the current URLs of this sandbox. */
export interface Wires {
  session(checkout: Checkout): Wire
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

export function wires(store: Store, publicUrl: () => string): Wires {
  const session = ({ session }: Checkout): Wire => ({
    ...session,
    url: session.status === 'open' ? `${publicUrl()}/c/pay/${session.id}` : null,
  })
  const of = (collection: keyof Expandable, id: string): Wire | undefined => {
    const found = store.get(collection, id)
    if (found === undefined) return undefined
    if (collection === 'checkout') return session(found as Checkout)
    return { ...found, ...(collection === 'charge' && { receipt_url: `${publicUrl()}/receipts/${id}` }) }
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
    of,
    expand: (wire, paths) => paths.reduce((sum, path) => expandOne(sum, path.split('.'), path), wire),
  }
}
