import { paymentsApi, type PaymentRecord } from '@prelude/contracts'
import { type Client, newId } from '@prelude/platform'
import { type TestService, testService } from '@prelude/platform/testing'
import { Stripe } from 'stripe'
import { expect } from 'vitest'
import { createPayments, paymentsInvariants } from '../src/index.ts'
import { type FakeStripe, fakeStripe } from './fake-stripe.ts'

export const WEBHOOK_SECRET = 'whsec_test'
export const PAYSTACK_KEY = 'sk_test_paystack'

export interface StripeMessage {
  readonly id?: string
  readonly type: string
  readonly created?: number
  readonly livemode?: boolean | null
  readonly object: Record<string, unknown>
}

export interface PaymentsUnderTest extends AsyncDisposable {
  readonly service: TestService
  readonly stripe: FakeStripe
  readonly api: Client<typeof paymentsApi>
  /** An open card checkout of `uid`. */
  open(order?: { uid?: string; amountCents?: number }): Promise<Opened>
  /** Signed as by the provider. */
  send(message: StripeMessage): Promise<void>
  /** One round of a job. */
  run(job: string): Promise<void>
  /** Types and what matters of their data, for one payment or all. */
  emitted(paymentId?: string): Promise<{ type: string; data: Record<string, unknown> }[]>
}

export interface Opened {
  readonly id: string
  readonly uid: string
  readonly sessionId: string
  readonly intent: string
  readonly amountCents: number
  /** The session as the provider would send it. */
  session(over?: Record<string, unknown>): Record<string, unknown>
  charge(over?: Record<string, unknown>): Record<string, unknown>
  dispute(over?: Record<string, unknown>): Record<string, unknown>
  get(): Promise<PaymentRecord>
}

export async function startPayments(options: { paystackUrl?: string } = {}): Promise<PaymentsUnderTest> {
  const stripe = await fakeStripe()
  const service = await testService(({ db, clock, logger }) =>
    createPayments({
      db,
      clock,
      logger,
      config: {
        publicUrl: 'https://prelude.test',
        stripe: { secretKey: 'sk_test_1', webhookSecret: WEBHOOK_SECRET, apiUrl: stripe.url },
        paystackSecretKey: options.paystackUrl === undefined ? null : PAYSTACK_KEY,
        ...(options.paystackUrl !== undefined && { paystackApiUrl: options.paystackUrl }),
      },
    }),
  )
  const api = service.api(paymentsApi)
  return {
    service,
    stripe,
    api,
    open: (order = {}) => openCheckout(api, order),
    send: async (message) => {
      await api.receiveWebhook({
        params: { provider: 'stripe' },
        body: signed(message, Math.floor(service.clock.now() / 1000)),
      })
    },
    run: async (name) => {
      const job = service.service.jobs?.find((one) => one.name === name)
      if (!job) throw new Error(`there is no job ${name}`)
      await job.run(new AbortController().signal)
    },
    emitted: async (paymentId) =>
      (await service.emitted())
        .map(({ type, data }) => ({ type, data: data as Record<string, unknown> }))
        .filter(({ data }) => paymentId === undefined || data['paymentId'] === paymentId),
    [Symbol.asyncDispose]: async () => {
      for (const { name, sql } of paymentsInvariants)
        expect({ name, breaches: (await service.db.query(sql)).rows }).toEqual({ name, breaches: [] })
      await service[Symbol.asyncDispose]()
      await stripe[Symbol.asyncDispose]()
    },
  }
}

async function openCheckout(
  api: Client<typeof paymentsApi>,
  { uid = `person-${newId()}`, amountCents = 2500 }: { uid?: string; amountCents?: number },
): Promise<Opened> {
  const id = newId()
  const { url } = await api.startCheckout({ params: { id }, body: { uid, email: 'a@b.test', amountCents } })
  const sessionId = url.split('/').at(-1) ?? ''
  const intent = `pi_${id}`
  const dollars = String(amountCents / 100)
  return {
    id,
    uid,
    sessionId,
    intent,
    amountCents,
    session: (over) => ({
      id: sessionId,
      object: 'checkout.session',
      client_reference_id: id,
      amount_total: amountCents,
      currency: 'usd',
      livemode: false,
      payment_intent: intent,
      payment_status: 'paid',
      status: 'complete',
      metadata: { userId: uid, amount: dollars, myamount: dollars },
      ...over,
    }),
    charge: (over) => ({
      id: `ch_${id}`,
      object: 'charge',
      currency: 'usd',
      payment_intent: intent,
      amount_refunded: amountCents,
      receipt_url: 'https://receipts.test/1',
      metadata: { paymentId: id },
      ...over,
    }),
    // as at Stripe: a dispute names its charge, not our payment
    dispute: (over) => ({
      id: `dp_${id}`,
      object: 'dispute',
      charge: `ch_${id}`,
      payment_intent: intent,
      amount: amountCents,
      currency: 'usd',
      status: 'needs_response',
      metadata: {},
      ...over,
    }),
    get: () => api.get({ params: { id } }),
  }
}

/** The body of receiveWebhook for an event. */
export function signed(message: StripeMessage, timestamp?: number): { payload: string; signature: string } {
  const { id = `evt_${newId()}`, type, created = 1_790_000_000, livemode = false, object } = message
  const payload = JSON.stringify({ id, object: 'event', type, created, livemode, data: { object } })
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: WEBHOOK_SECRET,
    ...(timestamp !== undefined && { timestamp }),
  })
  return { payload: Buffer.from(payload).toString('base64'), signature }
}
