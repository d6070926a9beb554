import {
  creditsForKobo,
  fromCents,
  Nullable,
  Page,
  Payment,
  PaymentStatus,
  Time,
  TRANSFER_MIN_KOBO,
} from '@prelude/contracts'
import { AppError, derivedId, isId } from '@prelude/platform'
import { type TSchema, Type } from 'typebox'
import { noteAudit } from '../accounts/access.ts'
import { type FindUser, findUsers, knownUser, userByEmail } from '../accounts/store/users.ts'
import type { CreditsClient, PaymentsClient } from '../api/clients.ts'
import { type Documentation, Money } from '../api/document/documentation.ts'
import { pageOf, pageQuery } from '../api/paging.ts'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'
import { adjustmentCents, positiveCents, transferKobo } from '../money/amounts.ts'
import { paymentView } from '../money/views.ts'
import { type ConfirmDeps, Confirmed, UNCONFIRMED, withConfirmedAmount } from './confirm-amount.ts'
import { Reason } from './songs.ts'

type Deps = ConfirmDeps & { credits: CreditsClient; findUser: FindUser; payments: PaymentsClient }

/** Validated by the handler, since it has codes of its own. */
const Amount = Type.Optional(Type.Any())
const Naira = Money('Naira', { minimum: fromCents(TRANSFER_MIN_KOBO) })
const jsonBody = (body: TSchema): Documentation => ({ bodies: { 'application/json': body } })
const Email = Type.String({ minLength: 1 })

const Transfer = Type.Object({
  id: Type.String(),
  uid: Type.String(),
  email: Nullable(Type.String()),
  status: PaymentStatus,
  createdAt: Time,
})

export const listTransfers = ({ db, payments }: Deps): PublicRoute =>
  publicRoute('GET /api/operator/transfers', {
    access: 'unlocked',
    action: 'list-transfers',
    summary: 'Bank transfers that wait to be confirmed or rejected',
    refusals: ['invalid_cursor'],
    query: Type.Object(pageQuery),
    reply: Page(Transfer),
    handle: async ({ query }) => {
      const { items, nextCursor } = await payments.listTransfers({ query: pageOf(query) })
      const users = await findUsers(db, [...new Set(items.map(({ uid }) => uid))])
      const view = ({ id, uid, status, createdAt }: (typeof items)[number]) => ({
        id,
        uid,
        email: users.get(uid)?.email ?? null,
        status,
        createdAt,
      })
      return { items: items.map(view), nextCursor }
    },
  })

export const confirmTransfer = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/transfers/:id/confirm', {
    access: 'unlocked',
    action: 'confirm-transfer',
    summary: 'The transfer arrived; amount in Naira',
    refusals: [
      ...UNCONFIRMED,
      'invalid_amount',
      'amount_too_low',
      'transfer_not_found',
      'transfer_already_settled',
    ],
    body: Type.Object({ amount: Amount, ...Confirmed }),
    document: jsonBody(Type.Object({ amount: Naira, ...Confirmed })),
    reply: Payment,
    handle: async ({ request, params: { id = '' }, body }) => {
      const amountKobo = transferKobo(body.amount)
      noteAudit(request, { detail: `${fromCents(amountKobo)} NGN` })
      if (!isId(id)) throw new AppError('transfer_not_found')
      const ownId = derivedId(id, String(amountKobo))
      const confirmed = { id: ownId, cents: creditsForKobo(amountKobo), password: body.password }
      return withConfirmedAmount(deps, request, confirmed, async () =>
        paymentView(await deps.payments.confirmTransfer({ params: { id }, body: { amountKobo } })),
      )
    },
  })

export const rejectTransfer = ({ payments }: Deps): PublicRoute =>
  publicRoute('POST /api/operator/transfers/:id/reject', {
    access: 'unlocked',
    action: 'reject-transfer',
    summary: 'The transfer did not arrive',
    refusals: ['invalid_request', 'transfer_not_found', 'transfer_already_settled'],
    body: Type.Object({ reason: Reason }),
    reply: Payment,
    handle: async ({ request, params: { id = '' }, body: { reason } }) => {
      noteAudit(request, { detail: reason })
      if (!isId(id)) throw new AppError('transfer_not_found')
      return paymentView(await payments.rejectTransfer({ params: { id }, body: { reason } }))
    },
  })

export const recordTransfer = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/transfers', {
    access: 'unlocked',
    action: 'record-transfer',
    summary: 'A transfer that arrived though its sender never said so; settled at once',
    refusals: [...UNCONFIRMED, 'invalid_amount', 'amount_too_low', 'user_not_found', 'ambiguous_account'],
    body: Type.Object({ email: Email, amount: Amount, ...Confirmed }),
    document: jsonBody(Type.Object({ email: Email, amount: Naira, ...Confirmed })),
    reply: Payment,
    status: 201,
    handle: async ({ request, id, body }) => {
      const amountKobo = transferKobo(body.amount)
      noteAudit(request, { detail: `${fromCents(amountKobo)} NGN` })
      const confirmed = { id, cents: creditsForKobo(amountKobo), password: body.password }
      return withConfirmedAmount(deps, request, confirmed, async () => {
        const { uid } = await userByEmail(deps.db, body.email)
        noteAudit(request, { target: uid })
        return paymentView(await deps.payments.recordTransfer({ params: { id }, body: { uid, amountKobo } }))
      })
    },
  })

/** One of them. */
const Account = { uid: Type.Optional(Type.String({ minLength: 1 })), email: Type.Optional(Email) }

export const adjustCredits = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/credits', {
    access: 'unlocked',
    action: 'adjust-credits',
    summary: 'An adjustment by hand, also negative; for a uid or an e-mail address',
    refusals: [
      ...UNCONFIRMED,
      'invalid_amount',
      'user_not_found',
      'ambiguous_account',
      'insufficient_credits',
    ],
    body: Type.Object({ ...Account, credits: Amount, reason: Reason, ...Confirmed }),
    document: jsonBody(
      Type.Object({
        ...Account,
        credits: Money('added, or taken when negative'),
        reason: Reason,
        ...Confirmed,
      }),
    ),
    reply: Type.Object({ balance: Type.Number() }),
    handle: async ({ request, id, body }) => {
      const amountCents = adjustmentCents(body.credits)
      if ((body.uid === undefined) === (body.email === undefined))
        throw new AppError('invalid_request', {
          errors: [{ path: 'uid', message: 'must be given, or email instead' }],
        })
      noteAudit(request, { detail: `${fromCents(amountCents)} credits: ${body.reason}` })
      const confirmed = { id, cents: amountCents, password: body.password }
      return withConfirmedAmount(deps, request, confirmed, async () => {
        const { uid } =
          body.uid === undefined
            ? await userByEmail(deps.db, body.email ?? '')
            : await knownUser(deps, body.uid)
        noteAudit(request, { target: uid })
        const account = await deps.credits.adjust({
          params: { id },
          body: { uid, amountCents, reason: body.reason },
        })
        return { balance: fromCents(account.balanceCents) }
      })
    },
  })

export const refundPayment = (deps: Deps): PublicRoute =>
  publicRoute('POST /api/operator/payments/:id/refund', {
    access: 'unlocked',
    action: 'refund-payment',
    summary: 'Refunds a card payment, in whole or in part',
    refusals: [
      ...UNCONFIRMED,
      'invalid_amount',
      'payment_not_found',
      'not_paid',
      'refund_too_high',
      'refund_under_way',
      'checkout_unavailable',
    ],
    body: Type.Object({ amount: Amount, ...Confirmed }),
    document: jsonBody(
      Type.Object({ amount: Money('in the currency of the payment', { minimum: 0.01 }), ...Confirmed }),
    ),
    reply: Payment,
    handle: async ({ request, id: refundId, params: { id = '' }, body }) => {
      const amountCents = positiveCents(body.amount)
      noteAudit(request, { detail: String(fromCents(amountCents)) })
      // cards are charged in dollars, of which each is a credit
      const confirmed = { id: refundId, cents: amountCents, password: body.password }
      return withConfirmedAmount(deps, request, confirmed, async () => {
        if (!isId(id)) throw new AppError('payment_not_found')
        return paymentView(await deps.payments.refund({ params: { id, refundId }, body: { amountCents } }))
      })
    },
  })
