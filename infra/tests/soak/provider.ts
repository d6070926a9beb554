import type { PaymentsConfig } from '@prelude/payments'
import { testLogger } from '@prelude/platform/testing'
import { Stripe } from 'stripe'
import { startCheckout } from '../../stand-ins/checkout/index.ts'

const WEBHOOK_SECRET = 'whsec_soak'

/** The checkout stand-in behind its real HTTP API; its webhooks are held back and sent by hand. */
export interface Provider extends AsyncDisposable {
  readonly config: PaymentsConfig
  /** Presses a button of the hosted page. False when the checkout is not open. */
  press(sessionId: string, outcome: 'pay' | 'pay_later'): Promise<boolean>
  /** Plays what happens later. False when it is impossible now. */
  act(sessionId: string, name: string, body?: Record<string, unknown>): Promise<boolean>
  /** The events since the last call, oldest first. */
  newEvents(): Promise<Record<string, unknown>[]>
}

export async function startProvider(dataFile: string): Promise<Provider> {
  const checkout = await startCheckout({
    port: 0,
    dataFile,
    webhookSecret: WEBHOOK_SECRET,
    webhookUrl: 'http://127.0.0.1:9/',
    logger: testLogger(),
  })
  const { url, secretKey } = checkout
  const post = async (path: string, body: string | URLSearchParams): Promise<number> => {
    const response = await fetch(`${url}${path}`, { method: 'POST', body, redirect: 'manual' })
    await response.body?.cancel()
    return response.status
  }
  await post('/control/webhooks', JSON.stringify({ hold: true }))
  let last: unknown
  return {
    config: {
      publicUrl: 'http://localhost:8080',
      stripe: { secretKey, webhookSecret: WEBHOOK_SECRET, apiUrl: url },
      paystackSecretKey: null,
    },
    press: async (sessionId, outcome) =>
      (await post(`/c/pay/${sessionId}`, new URLSearchParams({ outcome }))) === 303,
    act: async (sessionId, name, body = {}) =>
      (await post(`/control/sessions/${sessionId}/${name}`, JSON.stringify(body))) === 200,
    newEvents: async () => {
      const headers = { authorization: `Bearer ${secretKey}` }
      const response = await fetch(`${url}/v1/events?limit=100`, { headers })
      const { data } = (await response.json()) as { data: Record<string, unknown>[] }
      const known = data.findIndex(({ id }) => id === last)
      last = data[0]?.['id'] ?? last
      return data.slice(0, known === -1 ? data.length : known).toReversed()
    },
    [Symbol.asyncDispose]: () => checkout.stop(),
  }
}

/** The body of receiveWebhook for an event, signed as the provider does. */
export function signed(event: Record<string, unknown>): { payload: string; signature: string } {
  const payload = JSON.stringify(event)
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET })
  return { payload: Buffer.from(payload).toString('base64'), signature }
}
