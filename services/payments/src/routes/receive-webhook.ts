import { AppError, type Tx } from '@prelude/platform'
import type { Parts } from '../deps.ts'
import { readPaystackEvent } from '../domain/paystack-reading.ts'
import type { Reading } from '../domain/reading.ts'
import { readStripeEvent, stripeEvent } from '../domain/stripe-reading.ts'
import { text } from '../domain/json.ts'
import type { Payment } from '../store/payments.ts'
import { closeEvent, storeEvent, type WebhookEvent } from '../store/webhook-events.ts'
import { takeReading } from '../take-reading.ts'

type Message = Omit<WebhookEvent, 'payload' | 'paymentIntent'> & {
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
  const message = read(parts, provider, raw, body.signature)
  const event: WebhookEvent = {
    ...message,
    paymentIntent: message.reading?.paymentIntent ?? null,
    payload: raw.toString('utf8'),
  }
  await parts.db.transaction((tx) => take(tx, parts, event, message))
  return {}
}

async function take(tx: Tx, parts: Parts, event: WebhookEvent, message: Message): Promise<void> {
  if (!(await storeEvent(tx, event))) return
  if (message.reading === null) return closeEvent(tx, event, 'ignored', null)
  const { outcome, payment } = await takeReading(tx, message.method, message.reading)
  await closeEvent(tx, event, outcome, payment?.id ?? null)
  if (outcome === 'suspicious')
    parts.logger.error(
      { eventId: event.id, type: event.type, paymentId: payment?.id },
      'a payment does not match its checkout',
    )
}

function read(parts: Parts, provider: string, raw: Buffer, signature: string): Message {
  if (provider === 'stripe') {
    const event = stripeEvent(parts.stripe.verify(raw, signature))
    if (event === null) throw new AppError('invalid_request')
    const { id, type } = event
    return {
      provider,
      id,
      type,
      objectId: text(event.object, 'id'),
      method: 'card',
      reading: readStripeEvent(event),
    }
  }
  if (provider === 'paystack') {
    // without a key nothing can be signed with it
    if (parts.paystack === null) throw new AppError('bad_signature')
    const event = readPaystackEvent(parts.paystack.verify(raw, signature))
    if (event === null) throw new AppError('invalid_request')
    return { ...event, provider, method: 'alternate' }
  }
  throw new AppError('not_found')
}
