/** What payments must be told; secrets have no defaults. */
export interface PaymentsConfig {
  /** The address people see, without a slash at the end; they come back to it from the checkout. */
  readonly publicUrl: string
  readonly stripe: {
    readonly secretKey: string
    readonly webhookSecret: string
    /** Null: Stripe itself. */
    readonly apiUrl: string | null
    /** Where browsers reach the checkout page when that differs from what the provider's API says. */
    readonly publicCheckoutUrl?: string | null
  }
  /** Null: the alternate provider is off (decision 9). */
  readonly paystackSecretKey: string | null
  /** Left out: Paystack itself. */
  readonly paystackApiUrl?: string
}
