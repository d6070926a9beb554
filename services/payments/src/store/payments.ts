import type { PaymentRecord, PaymentStatus } from '@prelude/contracts'
import { PaymentUpdated } from '@prelude/contracts'
import { AppError, FROM_NEWEST, paged, isId, type Query, type Tx } from '@prelude/platform'
import { type Facts, NO_FACTS } from '../domain/facts.ts'

/** A row of `payment`. Sums are hundredths, times ms since the epoch. */
export interface Payment {
  readonly id: string
  readonly uid: string
  readonly method: PaymentRecord['method']
  /** `creating` until the provider has answered: never shown. */
  readonly status: PaymentStatus | 'creating'
  readonly amountCents: number | null
  readonly currency: string
  readonly creditsCents: number | null
  readonly livemode: boolean
  readonly facts: Facts
  readonly attempts: number
  readonly sessionId: string | null
  readonly paymentIntent: string | null
  readonly url: string | null
  readonly receiptUrl: string | null
  readonly refundedCents: number
  readonly succeeded: boolean
  readonly credited: boolean
  /** Null while it is not, and of payments from before this was kept. */
  readonly creditedAt: number | null
  readonly reversedCents: number
  readonly reversalCount: number
  readonly suspicions: readonly string[]
  readonly lastEventType: string | null
  readonly rejectReason: string | null
  /** The account of its person was closed: nothing that leads to the person is kept any more. */
  readonly erased: boolean
  readonly revision: number
  readonly createdAt: number
}

const COLUMNS: Record<keyof Payment, string> = {
  id: 'id',
  uid: 'uid',
  method: 'method',
  status: 'status',
  amountCents: 'amount_cents',
  currency: 'currency',
  creditsCents: 'credits_cents',
  livemode: 'livemode',
  facts: 'facts',
  attempts: 'attempts',
  sessionId: 'provider_session_id',
  paymentIntent: 'provider_payment_intent',
  url: 'url',
  receiptUrl: 'receipt_url',
  refundedCents: 'refunded_cents',
  succeeded: 'succeeded',
  credited: 'credited',
  creditedAt: 'credited_at',
  reversedCents: 'reversed_cents',
  reversalCount: 'reversal_count',
  suspicions: 'suspicions',
  lastEventType: 'last_event_type',
  rejectReason: 'reject_reason',
  erased: 'erased',
  revision: 'revision',
  createdAt: 'created_at',
}

const ALL = Object.entries(COLUMNS)
  .map(([property, column]) => `${column} as "${property}"`)
  .join(', ')

/** Internal fields: a change of these alone is no new revision. */
const UNSEEN: ReadonlySet<string> = new Set([
  'facts',
  'attempts',
  'suspicions',
  'paymentIntent',
  'rejectReason',
  'creditedAt',
])

const first = async (q: Query, sql: string, params: readonly unknown[]): Promise<Payment | null> =>
  (await q.query<Payment>(sql, params)).rows[0] ?? null

export type NewPayment = Pick<
  Payment,
  'id' | 'uid' | 'method' | 'status' | 'amountCents' | 'currency' | 'creditsCents' | 'livemode' | 'createdAt'
>

/** Null when the id is taken, or when the person has an open transfer and this would be another. */
export const insertPayment = (q: Query, payment: NewPayment): Promise<Payment | null> =>
  first(
    q,
    `insert into payment (id, uid, method, status, amount_cents, currency, credits_cents, livemode, facts, created_at, succeeded)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $4 = 'paid') on conflict do nothing returning ${ALL}`,
    [
      payment.id,
      payment.uid,
      payment.method,
      payment.status,
      payment.amountCents,
      payment.currency,
      payment.creditsCents,
      payment.livemode,
      JSON.stringify(NO_FACTS),
      payment.createdAt,
    ],
  )

/** Until the transaction ends, no other checkout of this person is counted. Taken before any row lock. */
export const lockCheckouts = async (tx: Tx, uid: string): Promise<void> => {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`checkouts:${uid}`])
}

/** The provider has answered by then, or failed: the checkout does not come to be. */
const OPENED_WITHIN_MS = 10_000

/** Checkouts of the same person and provider that can be paid, or are about to be. */
export const countOpen = async (
  q: Query,
  { uid, method, createdAt }: Pick<Payment, 'uid' | 'method' | 'createdAt'>,
): Promise<number> => {
  const { rows } = await q.query<{ count: number }>(
    `select count(*) as count from payment
     where uid = $1 and method = $2 and (status = 'open' or (status = 'creating' and created_at > $3))`,
    [uid, method, createdAt - OPENED_WITHIN_MS],
  )
  return rows[0]?.count ?? 0
}

export const findPayment = async (q: Query, id: string): Promise<Payment | null> =>
  isId(id) ? first(q, `select ${ALL} from payment where id = $1`, [id]) : null

export const lockPayment = async (tx: Tx, id: string): Promise<Payment | null> =>
  isId(id) ? first(tx, `select ${ALL} from payment where id = $1 for update`, [id]) : null

export const lockPaymentBySession = (tx: Tx, sessionId: string): Promise<Payment | null> =>
  first(
    tx,
    `select ${ALL} from payment where provider_session_id = $1 order by created_at limit 1 for update`,
    [sessionId],
  )

export const lockPaymentByIntent = (tx: Tx, paymentIntent: string): Promise<Payment | null> =>
  first(
    tx,
    `select ${ALL} from payment where provider_payment_intent = $1 order by created_at limit 1 for update`,
    [paymentIntent],
  )

export const findPaymentBySession = (q: Query, sessionId: string): Promise<Payment | null> =>
  first(
    q,
    `select ${ALL} from payment where provider_session_id = $1 and status <> 'creating' order by created_at limit 1`,
    [sessionId],
  )

/**
 * Writes the changed fields of a locked payment. A visible change raises the revision and emits an event,
 * unless the payment is still being made.
 */
export async function updatePayment(tx: Tx, payment: Payment, patch: Partial<Payment>): Promise<Payment> {
  const changed = Object.entries(patch).filter(
    ([property, value]) =>
      JSON.stringify(value) !== JSON.stringify(payment[property as keyof Payment]) && value !== undefined,
  )
  if (changed.length === 0) return payment
  const after: Payment = { ...payment, ...Object.fromEntries(changed) }
  const isNews = after.status !== 'creating' && changed.some(([property]) => !UNSEEN.has(property))
  const revision = payment.revision + (isNews ? 1 : 0)
  const sets = changed.map(([property], i) => `${COLUMNS[property as keyof Payment]} = $${i + 3}`)
  await tx.query(`update payment set ${['revision = $2', ...sets].join(', ')} where id = $1`, [
    payment.id,
    revision,
    ...changed.map(([property, value]) => (property === 'facts' ? JSON.stringify(value) : value)),
  ])
  const result = { ...after, revision }
  if (isNews) announce(tx, result)
  return result
}

/** Emits the new state of a payment. */
export const announce = (tx: Tx, { id, uid, revision }: Payment): void =>
  tx.emit(PaymentUpdated, { paymentId: id, uid, revision })

/** As other services see it; the address only while the checkout can be resumed. */
export const toRecord = (payment: Payment): PaymentRecord => {
  if (payment.status === 'creating') throw new AppError('payment_not_found')
  return {
    id: payment.id,
    uid: payment.uid,
    method: payment.method,
    amountCents: payment.amountCents,
    currency: payment.currency,
    creditsCents: payment.creditsCents,
    status: payment.status,
    refundedCents: payment.refundedCents,
    url: payment.status === 'open' ? payment.url : null,
    receiptUrl: payment.receiptUrl,
    revision: payment.revision,
    createdAt: payment.createdAt,
  }
}

interface PageOf {
  readonly items: PaymentRecord[]
  readonly nextCursor: string | null
}

/** Newest first. Errors: invalid_cursor. */
export async function listPayments(
  q: Query,
  filter: { uid?: string | undefined; openTransfers?: boolean },
  page: { limit?: number | undefined; cursor?: string | undefined },
): Promise<PageOf> {
  const { items, nextCursor } = await paged(
    page,
    ['number', 'id'],
    async (after, limit) => {
      const [beforeTime, beforeId] = after ?? FROM_NEWEST
      const { rows } = await q.query<Payment>(
        `select ${ALL} from payment
         where status <> 'creating'
           and (created_at, id) < ($1, $2)
           ${filter.openTransfers ? "and method = 'naira_transfer' and status = 'open'" : ''}
           ${filter.uid === undefined ? '' : 'and uid = $4'}
         order by created_at desc, id desc limit $3`,
        [beforeTime, beforeId, limit, ...(filter.uid === undefined ? [] : [filter.uid])],
      )
      return rows
    },
    ({ createdAt, id }) => [createdAt, id],
  )
  return { items: items.map(toRecord), nextCursor }
}

/** Checkouts of a provider that were opened before `before` and of which we know no end yet, oldest first, after `after`. */
export const listUnfinished = async (
  q: Query,
  method: Payment['method'],
  before: number,
  after: Pick<Payment, 'id' | 'createdAt'>,
): Promise<Payment[]> => {
  const { rows } = await q.query<Payment>(
    `select ${ALL} from payment
     where status in ('open', 'processing') and method = $1 and created_at < $2
       and (created_at, id) > ($3, $4)
     order by created_at, id limit 50`,
    [method, before, after.createdAt, after.id],
  )
  return rows
}

/** Checkouts that were never opened at the provider. */
export const unmade = (before: number) => ({
  table: 'payment',
  where: "status = 'creating' and created_at < $1",
  params: [before],
})
