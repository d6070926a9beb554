import { AccountClosed, CreditsAdded } from '@prelude/contracts'
import { measured, on, type Service, type ServiceSchema } from '@prelude/platform'
import type { Parts, PaymentsDeps } from './deps.ts'
import { eraseLatePayments, erasePayments } from './handlers/erase-payments.ts'
import { markCredited } from './handlers/mark-credited.ts'
import { paymentsInvariants } from './invariants.ts'
import { endCheckoutsOfClosed, reconcileCheckouts, reconcileEvents } from './jobs.ts'
import { paymentsMeasures } from './measures.ts'
import { paystackProvider } from './providers/paystack.ts'
import { stripeProvider } from './providers/stripe.ts'
import { registerRoutes } from './routes/register.ts'

export type { PaymentsConfig } from './config.ts'
export { paymentsInvariants } from './invariants.ts'

export const paymentsSchema: ServiceSchema = {
  name: 'payments',
  migrations: new URL('../migrations/', import.meta.url),
}

/** Checkouts, the providers' webhooks, and bank transfers. */
export function createPayments({ db, logger, config }: PaymentsDeps): Service {
  const measures = paymentsMeasures(db)
  const { providerCalls } = measures
  const paystack = paystackProvider(config)
  const parts: Parts = {
    db,
    logger,
    measures,
    stripe: measured(providerCalls, 'stripe', stripeProvider(config, logger), [
      'openCheckout',
      'refund',
      'session',
      'expire',
    ]),
    paystack: paystack && measured(providerCalls, 'paystack', paystack, ['openCheckout', 'transaction']),
  }
  return {
    ...paymentsSchema,
    routes: registerRoutes(parts),
    subscribers: [on(CreditsAdded, markCredited), on(AccountClosed, erasePayments)],
    jobs: [
      reconcileCheckouts(parts),
      reconcileEvents(parts),
      eraseLatePayments(db),
      endCheckoutsOfClosed(parts),
    ],
    invariants: paymentsInvariants,
    measures,
  }
}
