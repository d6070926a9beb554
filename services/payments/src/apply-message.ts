import { AppError, type Clock, type Database, type Logger, type Tx } from '@prelude/platform'
import { readPaystackEvent } from './domain/paystack-reading.ts'
import type { Reading } from './domain/reading.ts'
import { readStripeEvent, stripeEvent } from './domain/stripe-reading.ts'
import { object, text } from './domain/json.ts'
import { keptOf } from './domain/kept.ts'
import type { Payment } from './store/payments.ts'
import { closeEvent, storeEvent, type WebhookEvent } from './store/webhook-events.ts'
import { applyReading } from './apply-reading.ts'

export type Message = Omit<WebhookEvent, 'paymentIntent' | 'receivedAt'> & {
  readonly method: Payment['method']
  readonly reading: Reading | null
}

/** Stores a provider's message and applies it, in one transaction with the events that it causes. Once per event id. */
export async function applyMessage(
  { db, clock, logger }: { db: Database; clock: Clock; logger: Logger },
  message: Message,
): Promise<void> {
  const paymentIntent = message.reading?.paymentIntent ?? null
  const event = { ...message, paymentIntent, receivedAt: clock.now() }
  await db.transaction((tx) => take(tx, logger, event, message))
}

async function take(tx: Tx, logger: Logger, event: WebhookEvent, message: Message): Promise<void> {
  if (!(await storeEvent(tx, event))) return
  if (message.reading === null) return closeEvent(tx, event, 'ignored', null)
  const { outcome, payment } = await applyReading(tx, message.method, message.reading)
  await closeEvent(tx, event, outcome, payment)
  if (outcome === 'suspicious')
    logger.error(
      { eventId: event.id, type: event.type, paymentId: payment?.id },
      'a payment does not match its checkout',
    )
}

/** A verified event of Stripe, from a webhook or from the list of events. Errors: invalid_request. */
export function readStripeMessage(value: unknown): Message {
  const event = stripeEvent(value)
  if (event === null) throw new AppError('invalid_request')
  return {
    provider: 'stripe',
    id: event.id,
    type: event.type,
    objectId: text(event.object, 'id'),
    kept: keptOf(object(value) ?? {}),
    method: 'card',
    reading: readStripeEvent(event),
  }
}

/** Errors: invalid_request. */
export function readPaystackMessage(value: unknown): Message {
  const event = readPaystackEvent(value)
  if (event === null) throw new AppError('invalid_request')
  return { ...event, provider: 'paystack', method: 'alternate', kept: keptOf(object(value) ?? {}) }
}
