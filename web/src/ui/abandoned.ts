import type { Payment } from '@prelude/contracts'

/** Long enough to look for a card; the provider ends a checkout after a day. */
const ABANDONED_AFTER_MS = 60 * 60_000

/** A checkout that nobody paid: it has ended, or has been open for an hour. */
export const isAbandoned = ({
  method,
  status,
  createdAt,
}: Pick<Payment, 'status' | 'createdAt'> & { method: string }): boolean =>
  method !== 'naira_transfer' &&
  (status === 'expired' || (status === 'open' && Date.now() - createdAt > ABANDONED_AFTER_MS))
