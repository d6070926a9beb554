import {
  ALTERNATE_RATE,
  type CheckoutOrder,
  CheckoutSession,
  type CheckoutSession as Session,
  fromCents,
  MAX_OPEN_CHECKOUTS,
  Page,
  Payment,
  TOP_UP_ABOVE_CENTS,
  TOP_UP_MAX_CENTS,
  TOP_UP_MIN_CENTS,
} from '@prelude/contracts'
import { AppError, isId } from '@prelude/platform'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { FindUser } from '../accounts/store/users.ts'
import { personOf } from '../api/caller.ts'
import type { PaymentsClient } from '../api/clients.ts'
import { Money } from '../api/document/documentation.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import type { GatewayConfig } from '../config.ts'
import { topUpCents } from './amounts.ts'
import type { Countries } from './countries.ts'
import { paymentView } from './views.ts'

type Deps = { config: GatewayConfig; countries: Countries; findUser: FindUser; payments: PaymentsClient }

/** Validated by the handler, since each field has a code of its own. */
const TopUp = Type.Object({
  amount: Type.Optional(Type.Any()),
  myamount: Type.Optional(Type.Any()),
  userId: Type.Optional(Type.Any()),
})
const topUpDocument = {
  bodies: {
    'application/json': Type.Object({
      amount: Money(`US dollars, above ${fromCents(TOP_UP_ABOVE_CENTS)}`, {
        minimum: fromCents(TOP_UP_MIN_CENTS),
        maximum: fromCents(TOP_UP_MAX_CENTS),
      }),
      myamount: Type.Optional(Money('the same amount')),
      userId: Type.Optional(Type.String({ description: "the caller's uid" })),
    }),
  },
}
const Started = Type.Object({ url: Type.String(), id: Type.String() })
const topUpRefusals = [
  'invalid_amount',
  'amount_too_low',
  'amount_too_high',
  'amount_mismatch',
  'not_your_account',
  'too_many_checkouts',
  'checkout_unavailable',
] as const

export const startPayment = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/payments', {
    access: 'person',
    summary: "Opens the card provider's checkout page; one dollar buys one credit",
    refusals: topUpRefusals,
    body: TopUp,
    document: topUpDocument,
    reply: Started,
    handle: async ({ request, id, body }) => {
      return deps.payments.startCheckout({ params: { id }, body: await orderOf(deps, request, body) })
    },
  })

/** Spec §7: a branch that the select never offers. */
export const startAlternatePayment = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/payments/alternate', {
    access: 'person',
    summary: `The alternate provider, amount × ${ALTERNATE_RATE} in Naira; off unless its key is configured`,
    refusals: [...topUpRefusals, 'alternate_provider_off'],
    body: TopUp,
    document: topUpDocument,
    reply: Started,
    handle: async ({ request, id, body }) => {
      return deps.payments.startAlternate({ params: { id }, body: await orderOf(deps, request, body) })
    },
  })

export const getSession = ({ payments }: Deps): PublicRoute =>
  publicRoute('GET /api/get-session', {
    access: 'person',
    summary: 'What the success page reads about a checkout',
    refusals: ['session_id_required', 'session_not_found'],
    query: Type.Object({ session_id: Type.Optional(Type.String()) }),
    reply: CheckoutSession,
    handle: async ({ request, query }): Promise<Session> => {
      const sessionId = query.session_id ?? ''
      if (sessionId === '') throw new AppError('session_id_required')
      if (!/^[\w-]{1,255}$/.test(sessionId)) throw new AppError('session_not_found')
      return payments.session({ params: { sessionId }, query: { uid: personOf(request).uid } })
    },
  })

export const listPayments = ({ payments }: Deps): PublicRoute =>
  publicRoute('GET /api/payments', {
    access: 'person',
    summary: "The caller's own payments, newest first",
    refusals: ['invalid_request', 'invalid_cursor'],
    query: Type.Object(pageQuery),
    reply: Page(Payment),
    handle: async ({ request, query }) => {
      const page = await payments.list({ query: { uid: personOf(request).uid, ...pageOf(query) } })
      return { ...page, items: page.items.map(paymentView) }
    },
  })

export const getPayment = ({ payments }: Deps): PublicRoute =>
  publicRoute('GET /api/payments/:id', {
    access: 'person',
    summary: "One of the caller's own payments",
    refusals: ['payment_not_found'],
    reply: Payment,
    handle: async ({ request, params: { id = '' } }) => {
      if (!isId(id)) throw new AppError('payment_not_found')
      const payment = await payments.get({ params: { id } })
      if (payment.uid !== personOf(request).uid) throw new AppError('payment_not_found')
      return paymentView(payment)
    },
  })

export const openTransfer = ({ payments, countries }: Deps): PublicRoute =>
  publicRoute('POST /api/payments/naira-transfers', {
    access: 'person',
    summary: 'Tells the operator that the caller made a bank transfer',
    refusals: ['not_offered', 'transfer_already_open'],
    guard: async (request) => {
      if ((await countries.of(request))?.countryCode !== 'NG') throw new AppError('not_offered')
    },
    body: Type.Object({}),
    reply: Payment,
    status: 201,
    handle: async ({ request, id }) =>
      paymentView(await payments.openTransfer({ params: { id }, body: { uid: personOf(request).uid } })),
  })

async function orderOf(
  { findUser, config }: Deps,
  request: FastifyRequest,
  { amount, myamount, userId }: { amount?: unknown; myamount?: unknown; userId?: unknown },
): Promise<CheckoutOrder> {
  const { uid } = personOf(request)
  const amountCents = topUpCents(amount)
  if (myamount !== undefined && myamount !== amount) throw new AppError('amount_mismatch')
  if (userId !== undefined && userId !== uid) throw new AppError('not_your_account')
  const user = await findUser(uid)
  if (!user) throw new AppError('not_signed_in')
  return { uid, email: user.email, amountCents, ...(config.rateLimits && { mostOpen: MAX_OPEN_CHECKOUTS }) }
}
