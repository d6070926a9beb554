import { AppError, safeMessage } from '@prelude/platform'

/** Wrong or rotated credentials, busy with the same key, too fast: the same request may succeed later. */
const PASSING = new Set([401, 403, 409, 429])

/** A call of the provider failed; the answer to the person is that the checkout is unavailable. */
export class ProviderFailure extends AppError {
  override readonly name = 'ProviderFailure'
  /** The status of its answer; null when none came. */
  readonly answered: number | null
  /** The provider's own code for it, or the parameter that it is about. */
  readonly reason: string | null

  constructor(cause: unknown, answered: number | null, reason: string | null) {
    super('checkout_unavailable', { cause })
    this.answered = answered
    this.reason = reason
    this.message = `checkout_unavailable: ${cause instanceof Error ? safeMessage(cause) : String(cause)}`
  }

  /** A repeat of the same request would get the same answer: Stripe keeps its own errors for a key as well. */
  get isFinal(): boolean {
    return this.answered !== null && !PASSING.has(this.answered)
  }

  /** It had no effect and would have none; after an error of the provider's own it may have had one. */
  get isRefusal(): boolean {
    return this.isFinal && (this.answered ?? 0) < 500
  }
}
