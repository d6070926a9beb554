import type { Database, Logger } from '@prelude/platform'
import type { PaymentsConfig } from './config.ts'
import type { PaymentsMeasures } from './measures.ts'
import type { PaystackProvider } from './providers/paystack.ts'
import type { StripeProvider } from './providers/stripe.ts'

/** What the host gives. */
export interface PaymentsDeps {
  readonly db: Database
  readonly logger: Logger
  readonly config: PaymentsConfig
}

/** What routes and jobs work with. */
export interface Parts {
  readonly db: Database
  readonly logger: Logger
  readonly stripe: StripeProvider
  readonly paystack: PaystackProvider | null
  readonly measures: PaymentsMeasures
}
