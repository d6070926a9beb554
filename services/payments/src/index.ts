import { AccountClosed, CreditsAdded, paymentsApi } from '@prelude/contracts'
import {
  type Clock,
  type Database,
  type Logger,
  measured,
  on,
  route,
  type Service,
  type ServiceSchema,
  type Subscriber,
} from '@prelude/platform'
import type { PaymentsConfig } from './config.ts'
import { eraseLatePayments, erasePayments } from './handlers/erase-payments.ts'
import { markCredited } from './handlers/mark-credited.ts'
import { paymentsInvariants } from './invariants.ts'
import { deleteOldMessages } from './jobs/delete-old-messages.ts'
import { endCheckoutsOfClosed } from './jobs/end-checkouts-of-closed.ts'
import { finishRefunds } from './jobs/finish-refunds.ts'
import { reconcileCheckouts } from './jobs/reconcile-checkouts.ts'
import { reconcileEvents } from './jobs/reconcile-events.ts'
import { paymentsMeasures } from './measures.ts'
import { paystackProvider } from './providers/paystack.ts'
import { stripeProvider } from './providers/stripe.ts'
import { confirmTransfer } from './routes/confirm-transfer.ts'
import { countUnderWay } from './routes/count-under-way.ts'
import { getPayment } from './routes/get-payment.ts'
import { getSession } from './routes/get-session.ts'
import { listPayments } from './routes/list-payments.ts'
import { listTransfers } from './routes/list-transfers.ts'
import { openTransfer } from './routes/open-transfer.ts'
import { expectWebhook, receiveWebhook } from './routes/receive-webhook.ts'
import { recordTransfer } from './routes/record-transfer.ts'
import { refundPayment } from './routes/refund-payment.ts'
import { rejectTransfer } from './routes/reject-transfer.ts'
import { startAlternate } from './routes/start-alternate.ts'
import { startCheckout } from './routes/start-checkout.ts'

export { paymentsContradictions, takesPayments } from './contradictions.ts'
export { type PaymentsConfig, paymentsProgram, paymentsSettings } from './config.ts'
export { paymentsInvariants } from './invariants.ts'

export const paymentsSchema: ServiceSchema = {
  name: 'payments',
  migrations: new URL('../migrations/', import.meta.url),
}

export const paymentsSubscribers: readonly Subscriber[] = [
  on(CreditsAdded, markCredited),
  on(AccountClosed, erasePayments),
]

/** Checkouts, the providers' webhooks, and bank transfers. */
export function createPayments(deps: {
  db: Database
  clock: Clock
  logger: Logger
  config: PaymentsConfig
}): Service {
  const { db, clock, logger, config } = deps
  const measures = paymentsMeasures(db, clock)
  const stripe = measured(measures.providerCalls, 'stripe', stripeProvider(config, clock, logger), [
    'openCheckout',
    'refund',
    'findRefund',
    'session',
    'expire',
  ])
  const alternate = paystackProvider(config)
  const paystack =
    alternate && measured(measures.providerCalls, 'paystack', alternate, ['openCheckout', 'transaction'])
  return {
    ...paymentsSchema,
    routes: (app) => {
      route(app, paymentsApi.startCheckout, startCheckout(db, clock, stripe, measures))
      route(app, paymentsApi.startAlternate, startAlternate(db, clock, paystack, measures))
      route(app, paymentsApi.list, listPayments(db))
      route(app, paymentsApi.underWay, countUnderWay(db))
      route(app, paymentsApi.get, getPayment(db))
      route(app, paymentsApi.session, getSession(db))
      route(app, paymentsApi.refund, refundPayment({ db, clock, stripe }))
      route(app, paymentsApi.openTransfer, openTransfer(db, clock))
      route(app, paymentsApi.listTransfers, listTransfers(db))
      route(app, paymentsApi.confirmTransfer, confirmTransfer(db))
      route(app, paymentsApi.rejectTransfer, rejectTransfer(db))
      route(app, paymentsApi.recordTransfer, recordTransfer(db, clock))
      route(app, paymentsApi.expectWebhook, expectWebhook(paystack))
      route(
        app,
        paymentsApi.receiveWebhook,
        receiveWebhook({ db, clock, logger, stripe, paystack, measures }),
      )
    },
    subscribers: paymentsSubscribers,
    jobs: [
      reconcileCheckouts({ db, clock, logger, stripe, paystack }),
      reconcileEvents({ db, clock, stripe, logger }),
      eraseLatePayments(db, clock),
      endCheckoutsOfClosed(db, clock, stripe),
      finishRefunds(db, clock, stripe),
      deleteOldMessages(db, clock),
    ],
    invariants: paymentsInvariants,
    measures,
  }
}
