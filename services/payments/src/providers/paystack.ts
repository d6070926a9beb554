import { AppError } from '@prelude/platform'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { PaymentsConfig } from '../config.ts'
import { field, type Json, object, text } from '../domain/json.ts'
import { ProviderFailure } from './provider-failure.ts'

const PAYSTACK = 'https://api.paystack.co'
const TIMEOUT_MS = 3_000

export interface PaystackProvider {
  readonly livemode: boolean
  /** `amountCents` in kobo. Errors: ProviderFailure. */
  openCheckout(order: {
    reference: string
    email: string
    uid: string
    amountCents: number
  }): Promise<{ url: string }>
  /** Null when the provider does not know it. Errors: ProviderFailure. */
  transaction(reference: string): Promise<Json | null>
  /** The event in a signed body. Errors: bad_signature, malformed_json. */
  verify(payload: Buffer, signature: string): unknown
}

/** The alternate provider (decision 1), or null while it has no key. */
export function paystackProvider(config: PaymentsConfig): PaystackProvider | null {
  const secretKey = config.paystackSecretKey
  if (secretKey === null) return null
  const base = config.paystackApiUrl ?? PAYSTACK
  const call = (method: string, path: string, body?: unknown) =>
    callPaystack(`${base}${path}`, secretKey, method, body)
  return {
    livemode: secretKey.startsWith('sk_live_'),
    openCheckout: async ({ reference, email, uid, amountCents }) => {
      const answer = await call('POST', '/transaction/initialize', {
        reference,
        email,
        amount: amountCents,
        currency: 'NGN',
        callback_url: `${config.publicUrl}/payment-success?session_id=${reference}`,
        metadata: { userId: uid, cancel_action: `${config.publicUrl}/payment-failed` },
      })
      const url = text(field(answer, 'data'), 'authorization_url')
      if (url === null) throw new ProviderFailure(new Error('the answer has no address'), null, null)
      return { url }
    },
    transaction: async (reference) => {
      try {
        return field(await call('GET', `/transaction/verify/${encodeURIComponent(reference)}`), 'data')
      } catch (error) {
        if (error instanceof ProviderFailure && error.isRefusal) return null
        throw error
      }
    },
    verify: (payload, signature) => {
      const expected = createHmac('sha512', secretKey).update(payload).digest()
      const given = Buffer.from(signature, 'hex')
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        throw new AppError('bad_signature')
      try {
        return JSON.parse(payload.toString('utf8'))
      } catch (error) {
        throw new AppError('malformed_json', { cause: error })
      }
    },
  }
}

async function callPaystack(url: string, key: string, method: string, body: unknown): Promise<Json> {
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = object(await response.json())
    if (response.ok && answer?.['status'] === true) return answer
    const cause = new Error(`Paystack answered ${response.status}`)
    throw new ProviderFailure(cause, response.status, null)
  } catch (error) {
    throw error instanceof ProviderFailure ? error : new ProviderFailure(error, null, null)
  }
}
