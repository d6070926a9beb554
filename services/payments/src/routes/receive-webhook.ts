import { AppError, type Tx } from '@prelude/platform'
import type { Parts } from '../deps.ts'
import { readPaystackEvent } from '../domain/paystack-reading.ts'
import type { Reading } from '../domain/reading.ts'
import { readStripeEvent, stripeEvent } from '../domain/stripe-reading.ts'
import { object, text } from '../domain/json.ts'
import { keptOf } from '../domain/kept.ts'
import type { Payment } from '../store/payments.ts'
import { closeEvent, storeEvent, type WebhookEvent } from '../store/webhook-events.ts'
import { takeReading } from '../take-reading.ts'

type Message = Omit<WebhookEvent, 'paymentIntent'> & {
  readonly method: Payment['method']
  readonly reading: Reading | null
}

/**
 * Verified over the raw bytes; the event, its effects and what is told of them are one transaction, and only then
 * it is acknowledged. Errors: bad_signature, malformed_json, invalid_request, not_found.
 */
export async function receiveWebhook(
  parts: Parts,
  provider: string,
  body: { payload: string; signature: string },
): Promise<Record<string, never>> {
  const raw = Buffer.from(body.payload, 'base64')
  await takeMessage(parts, read(parts, provider, raw, body.signature))
  return {}
}

/** An event of Stripe's, however it came to us. Errors: invalid_request. */
export async function takeStripeEvent(parts: Parts, value: unknown): Promise<void> {
  await takeMessage(parts, readStripe(value))
}

async function takeMessage(parts: Parts, message: Message): Promise<void> {
  const event = { ...message, paymentIntent: message.reading?.paymentIntent ?? null }
  await parts.db.transaction((tx) => take(tx, parts, event, message))
}

async function take(tx: Tx, parts: Parts, event: WebhookEvent, message: Message): Promise<void> {
  if (!(await storeEvent(tx, event))) return
  if (message.reading === null) return closeEvent(tx, event, 'ignored', null)
  const { outcome, payment } = await takeReading(tx, message.method, message.reading)
  await closeEvent(tx, event, outcome, payment)
  if (outcome === 'suspicious')
    parts.logger.error(
      { eventId: event.id, type: event.type, paymentId: payment?.id },
      'a payment does not match its checkout',
    )
}

function read(parts: Parts, provider: string, raw: Buffer, signature: string): Message {
  if (provider === 'stripe') return readStripe(parts.stripe.verify(raw, signature))
  if (provider !== 'paystack') throw new AppError('not_found')
  // without a key nothing can be signed with it
  if (parts.paystack === null) throw new AppError('bad_signature')
  const value = parts.paystack.verify(raw, signature)
  const event = readPaystackEvent(value)
  if (event === null) throw new AppError('invalid_request')
  return { ...event, provider, method: 'alternate', kept: keptOf(object(value) ?? {}) }
}

function readStripe(value: unknown): Message {
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
