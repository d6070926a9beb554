import {
  PaymentReinstated,
  PaymentReversed,
  PaymentSucceeded,
  PaymentSuspicious,
  TransferOpened,
} from '@prelude/contracts'
import { counter, type Clock, type Database, dependencyCalls, gauge, type Measures } from '@prelude/platform'

const PROVIDERS = new Set(['stripe', 'paystack'])

export interface PaymentsMeasures extends Measures {
  readonly providerCalls: ReturnType<typeof dependencyCalls>
  readonly started: (method: string) => void
  /** `outcome`: taken, or the code of the refusal. */
  readonly webhook: (provider: string, outcome: string) => void
}

/** Payments and reversals, in credits, and transfers that wait for the operator. */
export function paymentsMeasures(db: Database, clock: Clock): PaymentsMeasures {
  const methods = ['card', 'naira_transfer'].map((method) => ({ method }))
  const flows: Record<string, string> = {
    [PaymentSucceeded.type]: 'paid',
    [PaymentReversed.type]: 'reversed',
    [PaymentReinstated.type]: 'reinstated',
  }
  const metrics = {
    providerCalls: dependencyCalls(),
    started: counter(
      'prelude_payments_started_total',
      'Checkouts that were opened and transfers that were announced.',
      ['method'],
      methods,
    ),
    succeeded: counter('prelude_payments_succeeded_total', 'Payments that succeeded.', ['method'], methods),
    credits: counter(
      'prelude_payments_credits_total',
      'Worth of payments in credits, by flow (paid, reversed, reinstated).',
      ['flow'],
      Object.values(flows).map((flow) => ({ flow })),
    ),
    suspicious: counter(
      'prelude_payments_suspicious_total',
      'Payments that were reported to the operator as suspicious.',
    ),
    webhooks: counter(
      'prelude_webhooks_total',
      'Webhooks of payment providers, by outcome (taken, or why they were refused).',
      ['provider', 'outcome'],
      [{ provider: 'stripe', outcome: 'taken' }],
    ),
    transfers: gauge('prelude_transfers_waiting', 'Bank transfers that wait for the operator.'),
    transferAge: gauge(
      'prelude_transfers_waiting_age_seconds',
      'Age of the oldest bank transfer that waits for the operator.',
    ),
    uncredited: gauge(
      'prelude_payments_uncredited',
      'Payments that succeeded and whose credits are not yet added.',
    ),
  }
  return {
    metrics: Object.values(metrics),
    providerCalls: metrics.providerCalls,
    started: (by) => metrics.started.inc({ method: by }),
    webhook: (provider, outcome) =>
      metrics.webhooks.inc({ provider: PROVIDERS.has(provider) ? provider : 'unknown', outcome }),
    emitted: (type, data) => {
      const flow = flows[type]
      if (flow !== undefined) metrics.credits.inc({ flow }, Number(data['credits']) / 100)
      if (type === PaymentSucceeded.type) metrics.succeeded.inc({ method: String(data['method']) })
      if (type === PaymentSuspicious.type) metrics.suspicious.inc()
      if (type === TransferOpened.type) metrics.started.inc({ method: 'naira_transfer' })
    },
    read: async () => {
      const { rows } = await db.query<{ transfers: number; oldest: number | null; uncredited: number }>(
        `select count(*) as transfers, min(created_at) as oldest,
                (select count(*) from payment where succeeded and not credited) as uncredited
         from payment where method = 'naira_transfer' and status = 'open'`,
      )
      const [row] = rows
      metrics.transfers.set(row?.transfers ?? 0)
      metrics.transferAge.set(row?.oldest == null ? 0 : Math.max(0, clock.now() - row.oldest) / 1000)
      metrics.uncredited.set(row?.uncredited ?? 0)
    },
  }
}
