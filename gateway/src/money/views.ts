import {
  type AccountEntry,
  fromCents,
  type Payment,
  type PaymentRecord,
  type StatementEntry,
} from '@prelude/contracts'

/** A line of the statement, its hundredths as decimals. */
export const entryView = ({
  amountCents,
  balanceAfterCents,
  owedCents,
  ...entry
}: AccountEntry): StatementEntry => ({
  id: entry.id,
  amount: fromCents(amountCents),
  balanceAfter: fromCents(balanceAfterCents),
  ...(owedCents !== 0 && { owed: fromCents(owedCents) }),
  reason: entry.reason,
  reference: entry.reference,
  createdAt: entry.createdAt,
})

export const paymentView = (record: PaymentRecord): Payment => ({
  id: record.id,
  method: record.method,
  amount: orNull(record.amountCents),
  currency: record.currency.toUpperCase(),
  credits: orNull(record.creditsCents),
  status: record.status,
  refundedAmount: fromCents(record.refundedCents),
  url: record.url,
  receiptUrl: record.receiptUrl,
  revision: record.revision,
  createdAt: record.createdAt,
})

const orNull = (cents: number | null): number | null => (cents === null ? null : fromCents(cents))
