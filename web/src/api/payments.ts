import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Payment } from '@prelude/contracts'
import { call } from './client.ts'
import { allItems } from './pages.ts'
import { applyEvent, invalidate } from './query-client.ts'

/** The person's payments, the ways to pay, and the checkout that they come back from. */

export const paymentsQuery = queryOptions({
  queryKey: ['payments'],
  queryFn: ({ signal }) => allItems((query) => call('GET /api/payments', { query, signal })),
})

/** The person's payments, newest first. */
export function usePayments() {
  const query = useQuery(paymentsQuery)
  return { payments: query.data ?? [], isPending: query.isPending, query }
}

export const usePaymentMethods = () =>
  useQuery({
    queryKey: ['payment-methods'],
    queryFn: ({ signal }) => call('GET /api/payment-methods', { signal }),
  })

const CHECKOUT = 'checkout-session'

export const checkoutQuery = (sessionId: string | null) =>
  queryOptions({
    queryKey: [CHECKOUT, sessionId],
    queryFn: ({ signal }) => call('GET /api/get-session', { query: { session_id: sessionId ?? '' }, signal }),
  })

/** Long enough to look for a card; the provider ends a checkout after a day. */
const ABANDONED_AFTER_MS = 60 * 60_000

/** A checkout that nobody paid: it has ended, or has been open for an hour. */
export const isAbandoned = ({
  method,
  status,
  createdAt,
}: Pick<Payment, 'status' | 'createdAt' | 'method'>): boolean =>
  method !== 'naira_transfer' &&
  (status === 'expired' || (status === 'open' && Date.now() - createdAt > ABANDONED_AFTER_MS))

export function putPayment(payment: Payment): void {
  applyEvent<readonly Payment[]>(paymentsQuery, (payments) => {
    const known = payments.find(({ id }) => id === payment.id)
    if (known && known.revision >= payment.revision) return payments
    return known
      ? payments.map((one) => (one === known ? payment : one))
      : [payment, ...payments].toSorted((a, b) => b.createdAt - a.createdAt)
  })
  invalidate({ queryKey: [CHECKOUT] })
}
