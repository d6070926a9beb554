import type { paymentsApi } from '@prelude/contracts'
import { AppError, type Clock, type Database, type Logger, type RouteHandler } from '@prelude/platform'
import type { PaymentsMeasures } from '../measures.ts'
import type { PaystackProvider } from '../providers/paystack.ts'
import type { StripeProvider } from '../providers/stripe.ts'
import { applyMessage, type Message, readPaystackMessage, readStripeMessage } from '../apply-message.ts'

interface WebhookDeps {
  readonly db: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly stripe: StripeProvider
  readonly paystack: PaystackProvider | null
  readonly measures: PaymentsMeasures
}

/**
 * A provider's message, verified over its raw bytes and acknowledged after its effects have committed.
 * Errors: bad_signature, malformed_json, invalid_request, not_found.
 */
export const receiveWebhook =
  (deps: WebhookDeps): RouteHandler<typeof paymentsApi.receiveWebhook> =>
  async ({ params: { provider = '' }, body }) => {
    try {
      const raw = Buffer.from(body.payload, 'base64')
      await applyMessage(deps, verified(deps, provider, raw, body.signature))
      deps.measures.webhook(provider, 'taken')
      return {}
    } catch (error) {
      deps.measures.webhook(provider, error instanceof AppError ? error.code : 'internal_error')
      throw error
    }
  }

/** Errors: bad_signature: without a key no signature can be valid. */
export const expectWebhook =
  (paystack: PaystackProvider | null): RouteHandler<typeof paymentsApi.expectWebhook> =>
  async ({ params: { provider } }) => {
    if (provider === 'paystack' && paystack === null) throw new AppError('bad_signature')
    return {}
  }

function verified(
  { stripe, paystack }: WebhookDeps,
  provider: string,
  raw: Buffer,
  signature: string,
): Message {
  if (provider === 'stripe') return readStripeMessage(stripe.verify(raw, signature))
  if (provider !== 'paystack') throw new AppError('not_found')
  // without a key no signature can be valid
  if (paystack === null) throw new AppError('bad_signature')
  return readPaystackMessage(paystack.verify(raw, signature))
}
