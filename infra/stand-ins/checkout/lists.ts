import type { Engine } from './engine.ts'
import { fields, integer, list, oneOf, optional, text, type Tree } from './form.ts'
import { invalid, missing } from './stripe-error.ts'

const timestamp = optional(integer(0, 99_999_999_999))
const page = {
  limit: optional(integer(1, 100)),
  starting_after: optional(text()),
  created: optional(fields({ gt: timestamp, gte: timestamp, lt: timestamp, lte: timestamp })),
  expand: optional(list(text())),
}

interface Page {
  readonly limit: number | undefined
  readonly starting_after: string | undefined
  readonly created: { readonly [K in 'gt' | 'gte' | 'lt' | 'lte']: number | undefined } | undefined
  readonly expand: readonly string[] | undefined
}

const readSessionQuery = fields({
  ...page,
  payment_intent: optional(text()),
  status: optional(oneOf('open', 'complete', 'expired')),
})

/** GET /v1/checkout/sessions */
export function listSessions({ store, wires }: Engine, query: Tree): Record<string, unknown> {
  const asked = readSessionQuery(query, '')
  const { payment_intent, status } = asked
  const wanted = store
    .list('checkout')
    .map(({ session }) => session)
    .filter((session) => payment_intent === undefined || session.payment_intent === payment_intent)
    .filter((session) => status === undefined || session.status === status)
  return pageOf('/v1/checkout/sessions', 'checkout.session', wanted, asked, (id) => wires.of('checkout', id))
}

const readRefundQuery = fields({ ...page, charge: optional(text()), payment_intent: optional(text()) })

/** GET /v1/refunds */
export function listRefunds({ store, wires }: Engine, query: Tree): Record<string, unknown> {
  const asked = readRefundQuery(query, '')
  const { charge, payment_intent } = asked
  const wanted = store
    .list('refund')
    .filter((refund) => charge === undefined || refund.charge === charge)
    .filter((refund) => payment_intent === undefined || refund.payment_intent === payment_intent)
  const paths = asked.expand?.join() === 'data.charge' ? ['charge'] : undefined
  const wireOf = (id: string): unknown => wires.expand(wires.of('refund', id) ?? {}, paths ?? [])
  return pageOf('/v1/refunds', 'refund', wanted, { ...asked, ...(paths && { expand: [] }) }, wireOf)
}

const MOST_TYPES = 20

const readEventQuery = fields({
  ...page,
  type: optional(text()),
  types: optional(list(text())),
  delivery_success: optional(oneOf('true', 'false')),
})

/** GET /v1/events */
export function listEvents({ store }: Engine, query: Tree): Record<string, unknown> {
  const asked = readEventQuery(query, '')
  const { type, types, delivery_success } = asked
  if (type !== undefined && types !== undefined)
    throw invalid(null, null, 'You may only specify one of these parameters: type, types.')
  if ((types?.length ?? 0) > MOST_TYPES)
    throw invalid(null, 'types', `You may pass at most ${MOST_TYPES} types.`)
  const wanted = store
    .list('event')
    .filter((event) => types === undefined || types.includes(event.type))
    .filter((event) => type === undefined || fits(event.type, type))
    .filter(
      ({ id }) =>
        delivery_success === undefined ||
        (delivery_success === 'true') === (store.get('delivery', id) === undefined),
    )
  return pageOf('/v1/events', 'event', wanted, asked, (id) => store.get('event', id))
}

/** `charge.*` matches every type of charges. */
const fits = (type: string, wanted: string): boolean =>
  wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted

/** Newest first. */
function pageOf(
  url: string,
  what: string,
  objects: readonly { readonly id: string; readonly created: number }[],
  { limit = 10, starting_after, created, expand }: Page,
  wireOf: (id: string) => unknown,
): Record<string, unknown> {
  const unknown = expand?.[0]
  if (unknown !== undefined) throw invalid(null, 'expand', `This property cannot be expanded (${unknown}).`)
  const all = objects
    .filter(
      (one) =>
        one.created > (created?.gt ?? -1) &&
        one.created >= (created?.gte ?? 0) &&
        one.created < (created?.lt ?? Infinity) &&
        one.created <= (created?.lte ?? Infinity),
    )
    .toReversed()
  const start = starting_after === undefined ? 0 : all.findIndex(({ id }) => id === starting_after) + 1
  if (starting_after !== undefined && start === 0) throw missing(what, starting_after)
  const data = all.slice(start, start + limit).map(({ id }) => wireOf(id))
  return { object: 'list', url, has_more: all.length > start + limit, data }
}
