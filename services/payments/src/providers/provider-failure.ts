import { AppError } from '@prelude/platform'

/** A call of the provider failed; the answer to the person is that the checkout is unavailable. */
export class ProviderFailure extends AppError {
  override readonly name = 'ProviderFailure'
  /** A repeat of the same request would get the same answer. */
  readonly isFinal: boolean
  /** The provider's own code for it, or the parameter that it is about. */
  readonly reason: string | null

  constructor(cause: unknown, isFinal: boolean, reason: string | null) {
    super('checkout_unavailable', { cause })
    this.isFinal = isFinal
    this.reason = reason
    this.message = `checkout_unavailable: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

/** Wrong or rotated credentials, busy with the same key, too fast: the same request may succeed later. */
const PASSING = new Set([401, 403, 409, 429])

/** Whether a repeat of the same request would get the same answer; Stripe keeps its own errors for it as well. */
export const isFinalStatus = (status: number): boolean => !PASSING.has(status)
