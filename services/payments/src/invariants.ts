import type { Invariant } from '@prelude/platform'

/** The rules of this service's tables, true after every commit. Each query lists the breaches. */
export const paymentsInvariants: readonly Invariant[] = [
  {
    name: 'a payment is paid if and only if its success was emitted',
    of: 'payment',
    sql: `select id, status from payment where succeeded <> (status in ('paid', 'refunded', 'disputed'))`,
  },
  {
    name: 'a paid payment has a sum and its credits',
    of: 'payment',
    sql: `select id from payment where succeeded and (amount_cents is null or credits_cents is null)`,
  },
  {
    name: 'credits were added only for paid payments',
    of: 'payment',
    sql: `select id from payment where credited and not succeeded`,
  },
  {
    name: 'a person has at most one open transfer',
    of: "payment where method = 'naira_transfer' and status = 'open'",
    sql: `select uid from payment where method = 'naira_transfer' and status = 'open' group by uid having count(*) > 1`,
  },
  {
    name: 'no more is refunded than was paid',
    of: 'payment',
    sql: `select id from payment where refunded_cents > coalesce(amount_cents, 0)`,
  },
  {
    name: 'a payment is refunded exactly when the whole of it was',
    of: 'payment',
    sql: `select id from payment where (status = 'refunded') <> (succeeded and refunded_cents = amount_cents)`,
  },
  {
    name: 'no more credits are reversed than were bought, and none before the success',
    of: 'payment',
    sql: `select id from payment where reversed_cents > coalesce(credits_cents, 0) or (reversed_cents > 0 and not succeeded)`,
  },
  {
    name: 'a checkout session belongs to one payment',
    of: 'payment where provider_session_id is not null',
    sql: `select provider_session_id from payment where provider_session_id is not null group by 1 having count(*) > 1`,
  },
  {
    name: 'nothing that is kept of a webhook holds an address',
    of: 'webhook_event',
    sql: `select provider, id from webhook_event where kept::text like '%@%'`,
  },
  {
    name: 'every stored webhook was decided',
    of: 'webhook_event',
    sql: `select provider, id from webhook_event where outcome = 'received'`,
  },
]
