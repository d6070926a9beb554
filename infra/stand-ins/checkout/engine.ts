import { type Effect, expire } from './effects.ts'
import { type Change, type Delivery, drawId, type StripeEvent } from './objects.ts'
import type { Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'
import type { Wires } from './wire.ts'

/** The API version of the events' shape. */
const API_VERSION = '2026-10-28.endive'

export interface Engine {
  readonly store: Store
  readonly wires: Wires
  /** Seconds since the epoch. */
  now(): number
  /** Applies the effects; their events, and `extra`, are stored in the same commit. */
  perform(effect: Effect, extra?: () => readonly Change[]): Promise<void>
  /** Expires sessions. */
  expireDue(): Promise<void>
  readonly webhooks: Webhooks
  isOut(): boolean
  /** Simulates an outage: the API and the pages fail for this long. */
  goOut(seconds: number): Promise<void>
}

export function createEngine(options: {
  store: Store
  wires: Wires
  webhooks: Webhooks
  /** ms since the epoch */
  clock: () => number
}): Engine {
  const { store, wires, webhooks, clock } = options
  const now = (): number => Math.floor(clock() / 1000)

  const stripeEventOf = ({ type, collection, id }: Effect['events'][number]): StripeEvent =>
    eventOf(type, { ...wires.of(collection, id) }, now())
  const perform = async (effect: Effect, extra?: () => readonly Change[]): Promise<void> => {
    let deliveries: Delivery[] = []
    await store.commit(effect.changes, () => {
      deliveries = effect.events.map(stripeEventOf).map(deliveryOf)
      const outgoing = deliveries.flatMap((delivery): Change[] => [
        ['event', delivery.event.id, delivery.event],
        ['delivery', delivery.event.id, delivery],
      ])
      return [...outgoing, ...(extra?.() ?? [])]
    })
    webhooks.send(deliveries)
  }
  return {
    store,
    wires,
    webhooks,
    now,
    perform,
    expireDue: async () => {
      const due = store
        .list('checkout')
        .filter(({ session }) => session.status === 'open' && session.expires_at <= now())
      for (const checkout of due) await perform(expire(checkout))
    },
    isOut: () => Number(store.get('setting', 'outageUntil') ?? 0) > clock(),
    goOut: (seconds) => store.commit([['setting', 'outageUntil', String(clock() + seconds * 1000)]]),
  }
}

function deliveryOf(event: StripeEvent): Delivery {
  const { id, payment_intent } = event.data.object as { id: string; payment_intent?: unknown }
  return { event, lane: typeof payment_intent === 'string' ? payment_intent : id, attempts: 0, dueAt: 0 }
}

const eventOf = (type: string, object: Record<string, unknown>, created: number): StripeEvent => ({
  id: drawId('evt'),
  object: 'event',
  api_version: API_VERSION,
  created,
  data: { object },
  livemode: false,
  pending_webhooks: 1,
  request: { id: null, idempotency_key: null },
  type,
})
