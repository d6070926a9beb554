import { paymentsApi } from '@prelude/contracts'
import { AppError, route, type Service } from '@prelude/platform'
import type { Parts } from '../deps.ts'
import { countUnderWay } from '../store/closed-accounts.ts'
import { listPayments } from '../store/payments.ts'
import { readPayment, readSession } from './read-payments.ts'
import { receiveWebhook } from './receive-webhook.ts'
import { refundPayment } from './refund-payment.ts'
import { startAlternate, startCheckout } from './start-checkout.ts'
import { confirmTransfer, openTransfer, recordTransfer, rejectTransfer } from './transfers.ts'

const named = (params: Record<string, string>, name: string): string => params[name] ?? ''

export const registerRoutes =
  (parts: Parts): Service['routes'] =>
  (app) => {
    route(app, paymentsApi.startCheckout, ({ params, body }) =>
      startCheckout(parts, named(params, 'id'), body),
    )
    route(app, paymentsApi.startAlternate, ({ params, body }) =>
      startAlternate(parts, named(params, 'id'), body),
    )
    route(app, paymentsApi.list, ({ query }) => listPayments(parts.db, { uid: query.uid }, query))
    route(app, paymentsApi.underWay, async ({ params }) => ({
      count: await countUnderWay(parts.db, named(params, 'uid')),
    }))
    route(app, paymentsApi.get, ({ params }) => readPayment(parts, named(params, 'id')))
    route(app, paymentsApi.session, ({ params, query }) =>
      readSession(parts, named(params, 'sessionId'), query.uid),
    )
    route(app, paymentsApi.refund, ({ params, body }) =>
      refundPayment(parts, {
        paymentId: named(params, 'id'),
        refundId: named(params, 'refundId'),
        amountCents: body.amountCents,
      }),
    )
    route(app, paymentsApi.openTransfer, ({ params, body }) =>
      openTransfer(parts, named(params, 'id'), body.uid),
    )
    route(app, paymentsApi.listTransfers, ({ query }) =>
      listPayments(parts.db, { openTransfers: true }, query),
    )
    route(app, paymentsApi.confirmTransfer, ({ params, body }) =>
      confirmTransfer(parts, named(params, 'id'), body.amountKobo),
    )
    route(app, paymentsApi.rejectTransfer, ({ params, body }) =>
      rejectTransfer(parts, named(params, 'id'), body.reason),
    )
    route(app, paymentsApi.recordTransfer, ({ params, body }) =>
      recordTransfer(parts, named(params, 'id'), body),
    )
    route(app, paymentsApi.receiveWebhook, async ({ params, body }) => {
      const provider = named(params, 'provider')
      try {
        const answer = await receiveWebhook(parts, provider, body)
        parts.measures.webhook(provider, 'taken')
        return answer
      } catch (error) {
        parts.measures.webhook(provider, error instanceof AppError ? error.code : 'internal_error')
        throw error
      }
    })
  }
