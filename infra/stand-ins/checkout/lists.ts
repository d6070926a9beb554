import type { Engine } from './engine.ts'
import { fields, integer, list, oneOf, optional, text, type Tree } from './form.ts'
import { invalid, missing } from './stripe-error.ts'

const page = { limit: optional(integer(1, 100)), starting_after: optional(text()) }

const readRefundQuery = fields({
  ...page,
  payment_intent: text(),
  expand: optional(list(oneOf('data.charge'))),
})

/** GET /v1/refunds */
export function listRefunds({ store, wires }: Engine, query: Tree): Record<string, unknown> {
  const { payment_intent, expand, ...asked } = readRefundQuery(query, '')
  const wanted = store.list('refund').filter((refund) => refund.payment_intent === payment_intent)
  const wireOf = (id: string): unknown => wires.expand(wires.of('refund', id) ?? {}, expand ? ['charge'] : [])
  return pageOf('/v1/refunds', 'refund', wanted, asked, wireOf)
}

const MOST_TYPES = 20

const readEventQuery = fields({
  ...page,
  types: optional(list(text())),
  created: optional(fields({ gte: integer(0, 99_999_999_999) })),
})

/** GET /v1/events */
export function listEvents({ store }: Engine, query: Tree): Record<string, unknown> {
  const { types, created, ...asked } = readEventQuery(query, '')
  if ((types?.length ?? 0) > MOST_TYPES)
    throw invalid(null, 'types', `You may pass at most ${MOST_TYPES} types.`)
  const wanted = store
    .list('event')
    .filter((event) => types === undefined || types.includes(event.type))
    .filter((event) => event.created >= (created?.gte ?? 0))
  return pageOf('/v1/events', 'event', wanted, asked, (id) => store.get('event', id))
}

/** Newest first. */
function pageOf(
  url: string,
  what: string,
  objects: readonly { readonly id: string }[],
  { limit = 10, starting_after }: { limit: number | undefined; starting_after: string | undefined },
  wireOf: (id: string) => unknown,
): Record<string, unknown> {
  const all = objects.toReversed()
  const start = starting_after === undefined ? 0 : all.findIndex(({ id }) => id === starting_after) + 1
  if (starting_after !== undefined && start === 0) throw missing(what, starting_after)
  const data = all.slice(start, start + limit).map(({ id }) => wireOf(id))
  return { object: 'list', url, has_more: all.length > start + limit, data }
}
