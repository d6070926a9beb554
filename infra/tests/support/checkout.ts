import { createHmac } from 'node:crypto'
import type { Payment } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect } from 'vitest'
import type { ProductProcess } from './product-process.ts'
import { type Caller, type Reply, type Somebody } from './callers.ts'
import { webhookSecret } from './webhook-secret.ts'

export interface Started {
  readonly url: string
  readonly id: string
  /** The Stripe session's id: the last segment of the checkout's URL. */
  readonly session: string
}

export async function startCheckout(person: Somebody, amount: number): Promise<Started> {
  const { status, body } = await person.call<{ url: string; id: string }>('POST', '/api/payments', {
    json: { amount },
  })
  expect(status).toBe(200)
  return { ...body, session: new URL(body.url).pathname.split('/').at(-1) ?? '' }
}

/** Triggers a later act of the provider. */
export async function play(
  product: ProductProcess,
  session: string,
  act: string,
  body?: Record<string, unknown>,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${product.endpoints.checkout}/control/sessions/${session}/${act}`, {
    method: 'POST',
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return { status: response.status, body: await response.json() }
}

/** Waits until the payment has these fields. */
export const paymentLike = (person: Somebody, id: string, like: Partial<Payment>): Promise<Payment> =>
  eventually(async () => {
    const { body } = await person.call<Payment>('GET', `/api/payments/${id}`)
    expect(body).toMatchObject(like)
    return body
  })

export const balanceIs = (person: Somebody, balance: number): Promise<void> =>
  eventually(async () => {
    const { body } = await person.call<{ balance: number }>('GET', '/api/credits')
    expect(body.balance).toBe(balance)
  })

/** Sends a forged webhook, signed as by Stripe. */
export function sendWebhook(
  anybody: Caller,
  event: unknown,
  sign: { secret?: string; at?: number; header?: string } = {},
): Promise<Reply<{ code?: string }>> {
  const payload = typeof event === 'string' ? event : JSON.stringify(event)
  const at = sign.at ?? Math.floor(Date.now() / 1000)
  const v1 = createHmac('sha256', sign.secret ?? webhookSecret)
    .update(`${at}.${payload}`)
    .digest('hex')
  return anybody('POST', '/api/webhooks/stripe', {
    raw: payload,
    headers: {
      'content-type': 'application/json',
      'stripe-signature': sign.header ?? `t=${at},v1=${v1}`,
    },
  })
}
