import { fromCents } from '@prelude/contracts'
import { AppError, type Clock, type Logger } from '@prelude/platform'
import { Stripe } from 'stripe'
import type { PaymentsConfig } from '../config.ts'
import type { Json } from '../domain/json.ts'
import { ProviderFailure } from './provider-failure.ts'

/** Leaves room for our own work within the 4 s that a caller of this service waits. */
const TIMEOUT_MS = 3_000
/** Before a refund is made again, which has the rest of the time. */
const FIND_TIMEOUT_MS = 1_000
const REFUND_TIMEOUT_MS = 2_500
const SIGNATURE_TOLERANCE_SECONDS = 300

interface CheckoutOrder {
  readonly paymentId: string
  readonly uid: string
  readonly email: string
  readonly amountCents: number
  readonly idempotencyKey: string
}

interface OpenedCheckout {
  readonly sessionId: string
  readonly url: string
}

export interface RefundOrder {
  readonly id: string
  readonly paymentId: string
  readonly paymentIntent: string
  readonly amountCents: number
  readonly idempotencyKey: string
}

export interface StripeProvider {
  /** Whether real money moves with this key. */
  readonly livemode: boolean
  /** Errors: ProviderFailure. */
  openCheckout(order: CheckoutOrder): Promise<OpenedCheckout>
  /** With its charge expanded. Errors: ProviderFailure. */
  refund(order: RefundOrder): Promise<Json>
  /** The refund that was made for this id, with its charge expanded; null when there is none. Errors: ProviderFailure. */
  findRefund(order: Pick<RefundOrder, 'id' | 'paymentIntent'>): Promise<Json | null>
  /** With its payment intent and charge expanded; null when the provider does not know it. Errors: ProviderFailure. */
  session(id: string): Promise<Json | null>
  /** Ends a session that is not paid; answers it as `session` does. Errors: ProviderFailure. */
  expire(id: string): Promise<Json | null>
  /** Events of these types since `since` (seconds since the epoch), a page at a time, newest first. Errors: ProviderFailure. */
  events(types: readonly string[], since: number): AsyncIterable<readonly Json[]>
  /** The event in a signed body. Errors: bad_signature, malformed_json. */
  verify(payload: Buffer, signature: string): unknown
}

/** The official SDK, with the address of Stripe or of a compatible server. */
export function stripeProvider(config: PaymentsConfig, clock: Clock, logger: Logger): StripeProvider {
  const stripe = new Stripe(config.stripe.secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 0,
    telemetry: false,
    ...(config.stripe.apiUrl !== null && addressOf(config.stripe.apiUrl)),
  })
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw failureOf(error, what, logger)
    }
  }
  const session: StripeProvider['session'] = (id) =>
    attempt('fetch session', async () => {
      try {
        const found = await stripe.checkout.sessions.retrieve(id, {
          expand: ['payment_intent.latest_charge'],
        })
        return found as unknown as Json
      } catch (error) {
        if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing')
          return null
        throw error
      }
    })
  return {
    livemode: /^(sk|rk)_live_/.test(config.stripe.secretKey),
    openCheckout: (order) =>
      attempt('open checkout', async () => {
        const session = await stripe.checkout.sessions.create(sessionParams(config.publicUrl, order), {
          idempotencyKey: order.idempotencyKey,
        })
        if (!session.url) throw new Error('the session has no address')
        return {
          sessionId: session.id,
          url: publicAddress(session.url, config.stripe.publicCheckoutUrl ?? null),
        }
      }),
    refund: ({ id, paymentId, paymentIntent, amountCents, idempotencyKey }) =>
      attempt('refund', async () => {
        const refund = await stripe.refunds.create(
          {
            payment_intent: paymentIntent,
            amount: amountCents,
            metadata: { refundId: id, paymentId },
            expand: ['charge'],
          },
          { idempotencyKey, timeout: REFUND_TIMEOUT_MS },
        )
        return refund as unknown as Json
      }),
    findRefund: ({ id, paymentIntent }) =>
      attempt('list refunds', async () => {
        const refunds = stripe.refunds.list(
          { payment_intent: paymentIntent, limit: 100, expand: ['data.charge'] },
          { timeout: FIND_TIMEOUT_MS },
        )
        for await (const refund of refunds)
          if (refund.metadata?.['refundId'] === id) return refund as unknown as Json
        return null
      }),
    session,
    expire: async (id) => {
      try {
        return (await stripe.checkout.sessions.expire(id)) as unknown as Json
      } catch (error) {
        // not open any more, or unknown
        if (error instanceof Stripe.errors.StripeInvalidRequestError) return session(id)
        throw failureOf(error, 'expire session', logger)
      }
    },
    events: async function* (types, since) {
      let last: string | undefined
      do {
        const page = await attempt('list events', () =>
          stripe.events.list({
            types: [...types],
            created: { gte: since },
            limit: 100,
            ...(last !== undefined && { starting_after: last }),
          }),
        )
        yield page.data as unknown as Json[]
        last = page.has_more ? page.data.at(-1)?.id : undefined
      } while (last !== undefined)
    },
    verify: (payload, signature) => {
      const now = clock.now()
      // the SDK refuses only what is too old
      if (timestampOf(signature) > now / 1000 + SIGNATURE_TOLERANCE_SECONDS)
        throw new AppError('bad_signature')
      try {
        return stripe.webhooks.constructEvent(
          payload,
          signature,
          config.stripe.webhookSecret,
          SIGNATURE_TOLERANCE_SECONDS,
          undefined,
          now,
        )
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError)
          throw new AppError('bad_signature', { cause: error })
        throw new AppError('malformed_json', { cause: error })
      }
    },
  }
}

/** Of a signature `t=…,v1=…`, as the SDK reads it: the last one counts. */
const timestampOf = (signature: string): number =>
  Number(
    signature
      .split(',')
      .findLast((part) => part.startsWith('t='))
      ?.slice(2),
  )

function addressOf(apiUrl: string): { host: string; port: number; protocol: 'http' | 'https' } {
  const { hostname, port, protocol } = new URL(apiUrl)
  const scheme = protocol === 'https:' ? 'https' : 'http'
  return {
    host: hostname,
    port: port === '' ? (scheme === 'https' ? 443 : 80) : Number(port),
    protocol: scheme,
  }
}

function sessionParams(publicUrl: string, order: CheckoutOrder): Stripe.Checkout.SessionCreateParams {
  const amount = String(fromCents(order.amountCents))
  return {
    mode: 'payment',
    client_reference_id: order.paymentId,
    customer_email: order.email,
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'usd',
          unit_amount: order.amountCents,
          product_data: { name: `${amount} song credits` },
        },
      },
    ],
    metadata: { userId: order.uid, amount, myamount: amount },
    payment_intent_data: { metadata: { paymentId: order.paymentId } },
    success_url: `${publicUrl}/payment-success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${publicUrl}/payment-failed`,
  }
}

function publicAddress(url: string, publicCheckoutUrl: string | null): string {
  if (publicCheckoutUrl === null) return url
  const { pathname, search, hash } = new URL(url)
  return new URL(`${pathname}${search}${hash}`, publicCheckoutUrl).href
}

function failureOf(error: unknown, what: string, logger: Logger): ProviderFailure {
  if (!(error instanceof Stripe.errors.StripeError)) return new ProviderFailure(error, null, null)
  const { statusCode, code, type, param, requestId } = error
  logger.warn({ what, statusCode, code, type, param, requestId }, 'the checkout provider refused')
  const reason = code ?? param ?? null
  // without the provider's own text, which may repeat the person's address
  const cause = new Error(`${type} ${reason ?? statusCode ?? ''}`)
  return new ProviderFailure(cause, statusCode ?? null, reason)
}
