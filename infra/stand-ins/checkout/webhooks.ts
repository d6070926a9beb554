import type { Logger } from '@prelude/platform'
import { createHmac } from 'node:crypto'
import type { Delivery } from './objects.ts'
import type { Store } from './store.ts'

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 30_000
const TIMEOUT_MS = 10_000
/** So long may an attempt take that a stop finds under way: one that is cut off may have been accepted, and is sent again. */
const LAST_ATTEMPT_MS = 1_000
const GIVE_UP_AFTER_MS = 3 * 24 * 60 * 60_000

export interface Webhooks {
  /** Sends deliveries, which are stored already. */
  send(deliveries: readonly Delivery[]): void
  /** Sends nothing until `release`. */
  hold(): void
  /** Sends held deliveries. */
  release(): void
  stop(): Promise<void>
}

interface Lane {
  readonly queue: Delivery[]
  wake: () => void
}

/**
 * Sends events to the webhook until it accepts them: in order for a payment, payments concurrently, with exponential
 * backoff from 1 s to 30 s. Deliveries that were not accepted are sent again after a restart.
 */
export function createWebhooks(options: {
  store: Store
  url: string
  secret: string
  /** ms since the epoch */
  clock: () => number
  logger: Logger
}): Webhooks {
  const { store, url, secret, clock, logger } = options
  const stopping = new AbortController()
  const cutOff = new AbortController()
  const lanes = new Map<string, Lane>()
  const running = new Set<Promise<void>>()
  let held = false

  const attempt = async (delivery: Delivery): Promise<Delivery | null> => {
    const { event } = delivery
    try {
      const body = JSON.stringify(event)
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': sign(body, secret, Math.floor(clock() / 1000)),
          'user-agent': 'Stripe/1.0 (checkout sandbox)',
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([cutOff.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      await response.body?.cancel()
      if (response.ok) return null
      logger.warn({ type: event.type, status: response.status }, 'the webhook was refused, it is sent again')
    } catch (error) {
      if (cutOff.signal.aborted) return delivery
      logger.warn(
        { type: event.type, reason: String(error) },
        'the webhook was not reached, it is sent again',
      )
    }
    if (clock() - event.created * 1000 > GIVE_UP_AFTER_MS) return null
    const pause = Math.min(FIRST_RETRY_MS * 2 ** Math.min(delivery.attempts, 10), LAST_RETRY_MS)
    return { ...delivery, attempts: delivery.attempts + 1, dueAt: clock() + pause }
  }

  const runLane = async (name: string, lane: Lane): Promise<void> => {
    try {
      while (lane.queue.length > 0 && !stopping.signal.aborted) {
        if (held) {
          await pause(lane, LAST_RETRY_MS, stopping.signal)
          continue
        }
        const now = clock()
        const delivery = lane.queue.find(({ dueAt }) => dueAt <= now)
        if (delivery === undefined) {
          await pause(lane, Math.min(...lane.queue.map(({ dueAt }) => dueAt)) - now, stopping.signal)
          continue
        }
        const next = await attempt(delivery)
        if (next === delivery) break
        // there may be new deliveries, or the order was reversed
        lane.queue.splice(lane.queue.indexOf(delivery), 1, ...(next ? [next] : []))
        await store.commit([['delivery', delivery.event.id, next]])
      }
    } finally {
      lanes.delete(name)
    }
  }

  const send = (deliveries: readonly Delivery[]): void => {
    for (const delivery of deliveries) {
      const known = lanes.get(delivery.lane)
      if (known) {
        known.queue.push(delivery)
        known.wake()
        continue
      }
      const lane: Lane = { queue: [delivery], wake: () => {} }
      lanes.set(delivery.lane, lane)
      const run = runLane(delivery.lane, lane)
        .catch((error: unknown) => logger.error({ err: error }, 'sending webhooks failed'))
        .finally(() => running.delete(run))
      running.add(run)
    }
  }

  send(store.list('delivery').map((delivery) => ({ ...delivery, dueAt: 0 })))
  return {
    send,
    hold: () => {
      held = true
    },
    release: () => {
      held = false
      for (const lane of lanes.values()) lane.wake()
    },
    stop: async () => {
      stopping.abort()
      for (const lane of lanes.values()) lane.wake()
      const timer = setTimeout(() => cutOff.abort(), LAST_ATTEMPT_MS)
      await Promise.all(running)
      clearTimeout(timer)
    },
  }
}

const pause = (lane: Lane, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    lane.wake = () => {
      clearTimeout(timer)
      resolve()
    }
    if (signal.aborted) lane.wake()
  })

/** `t=…,v1=…`, with the time in seconds: signed again for every attempt, as at Stripe. */
function sign(body: string, secret: string, time: number): string {
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return `t=${time},v1=${signature}`
}
