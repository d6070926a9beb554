import { type Static, Type } from 'typebox'
import { TRANSFER_MIN_KOBO } from '../money.ts'
import { defineApi, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'

export const PaymentMethod = OneOf('card', 'naira_transfer', 'alternate')
export const PaymentStatus = OneOf(
  'open',
  'processing',
  'paid',
  'failed',
  'expired',
  'rejected',
  'refunded',
  'disputed',
)
export type PaymentStatus = Static<typeof PaymentStatus>

const TransferKobo = Type.Integer({ minimum: TRANSFER_MIN_KOBO })

/** A payment as people see it: main units, currency in capitals. A transfer's amount and credits are null until settled. */
export const Payment = Type.Object({
  id: Type.String(),
  method: PaymentMethod,
  amount: Nullable(Type.Number()),
  currency: Type.String(),
  credits: Nullable(Type.Number()),
  status: PaymentStatus,
  refundedAmount: Type.Number(),
  url: Nullable(Type.String()),
  receiptUrl: Nullable(Type.String()),
  revision: Type.Integer(),
  createdAt: Time,
})
export type Payment = Static<typeof Payment>

/** A payment as the operator's list shows it. */
export const PaymentRow = Type.Object({
  ...Payment.properties,
  uid: Type.String(),
  name: Nullable(Type.String()),
  email: Nullable(Type.String()),
})
export type PaymentRow = Static<typeof PaymentRow>

/** A payment inside the product: hundredths of its currency and of a credit. */
export const PaymentRecord = Type.Object({
  id: Type.String(),
  uid: Type.String(),
  method: PaymentMethod,
  amountCents: Nullable(Type.Integer()),
  currency: Type.String(),
  creditsCents: Nullable(Type.Integer()),
  status: PaymentStatus,
  refundedCents: Type.Integer(),
  url: Nullable(Type.String()),
  receiptUrl: Nullable(Type.String()),
  revision: Type.Integer(),
  createdAt: Time,
})
export type PaymentRecord = Static<typeof PaymentRecord>

/** `mostOpen`: how many checkouts of the person at this provider may be open, any number if not given. */
const CheckoutOrder = Type.Object({
  uid: Type.String(),
  email: Type.String(),
  amountCents: Type.Integer(),
  mostOpen: Type.Optional(Type.Integer()),
})
export type CheckoutOrder = Static<typeof CheckoutOrder>

/** What the success page reads. */
export const CheckoutSession = Type.Object({
  metadata: Type.Object({ userId: Type.String(), amount: Type.String(), myamount: Type.String() }),
  eventType: Nullable(Type.String()),
  status: PaymentStatus,
  credited: Type.Boolean(),
})
export type CheckoutSession = Static<typeof CheckoutSession>

const Started = Type.Object({ url: Type.String(), id: Type.String() })

export const paymentsApi = defineApi({
  /** Opens a card checkout under the caller's id; the same id again answers the same checkout. Errors: too_many_checkouts, checkout_unavailable. */
  startCheckout: {
    method: 'PUT',
    path: '/checkouts/:id',
    body: CheckoutOrder,
    reply: Started,
  },
  /** The alternate provider; `amountCents` in US cents. Errors: alternate_provider_off, too_many_checkouts, checkout_unavailable. */
  startAlternate: {
    method: 'PUT',
    path: '/alternate-checkouts/:id',
    body: CheckoutOrder,
    reply: Started,
  },
  /** Without `uid`: the payments of all. Errors: invalid_cursor. */
  list: {
    method: 'GET',
    path: '/payments',
    query: Type.Object({ uid: Type.Optional(Type.String()), ...PageQuery }),
    reply: Page(PaymentRecord),
  },
  /** Payments of this person whose money is on its way: pay-later ones, and transfers that were announced. */
  underWay: {
    method: 'GET',
    path: '/people/:uid/under-way',
    reply: Type.Object({ count: Type.Integer() }),
  },
  /** Errors: payment_not_found. */
  get: { method: 'GET', path: '/payments/:id', reply: PaymentRecord, callers: ['notifier'] },
  /** Errors: session_not_found (also for another person's). */
  session: {
    method: 'GET',
    path: '/sessions/:sessionId',
    query: Type.Object({ uid: Type.String() }),
    reply: CheckoutSession,
  },
  /** Refunds a card payment at the provider; `:refundId` makes it happen once. Errors: payment_not_found, not_paid, refund_too_high, refund_under_way, checkout_unavailable. */
  refund: {
    method: 'PUT',
    path: '/payments/:id/refunds/:refundId',
    body: Type.Object({ amountCents: Type.Integer() }),
    reply: PaymentRecord,
  },
  /** "I have sent it". Errors: transfer_already_open. */
  openTransfer: {
    method: 'PUT',
    path: '/transfers/:id',
    body: Type.Object({ uid: Type.String() }),
    reply: PaymentRecord,
  },
  /** Those waiting for the operator. */
  listTransfers: {
    method: 'GET',
    path: '/transfers',
    query: Type.Object(PageQuery),
    reply: Page(PaymentRecord),
  },
  /** Errors: transfer_not_found, transfer_already_settled. */
  confirmTransfer: {
    method: 'POST',
    path: '/transfers/:id/confirm',
    body: Type.Object({ amountKobo: TransferKobo }),
    reply: PaymentRecord,
  },
  /** Errors: transfer_not_found, transfer_already_settled. */
  rejectTransfer: {
    method: 'POST',
    path: '/transfers/:id/reject',
    body: Type.Object({ reason: Type.String() }),
    reply: PaymentRecord,
  },
  /** A transfer that arrived unannounced: settled at once, once for an id. */
  recordTransfer: {
    method: 'PUT',
    path: '/settled-transfers/:id',
    body: Type.Object({ uid: Type.String(), amountKobo: TransferKobo }),
    reply: PaymentRecord,
  },
  /** Whether messages of a provider can be valid, before one is read. Errors: bad_signature. */
  expectWebhook: { method: 'GET', path: '/webhooks/:provider', reply: Type.Object({}) },
  /** `payload` is the raw body, base64; `signature` the provider's header. Errors: bad_signature. */
  receiveWebhook: {
    method: 'POST',
    path: '/webhooks/:provider',
    body: Type.Object({ payload: Type.String(), signature: Type.String() }),
    reply: Type.Object({}),
  },
})
