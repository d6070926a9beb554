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
  const providerCalls = dependencyCalls()
  const methods = ['card', 'naira_transfer'].map((method) => ({ method }))
  const started = counter(
    {
      name: 'prelude_payments_started_total',
      help: 'Checkouts that were opened and transfers that were announced.',
      labelNames: ['method'],
    },
    methods,
  )
  const succeeded = counter(
    {
      name: 'prelude_payments_succeeded_total',
      help: 'Payments that succeeded.',
      labelNames: ['method'],
    },
    methods,
  )
  const flows: Record<string, string> = {
    [PaymentSucceeded.type]: 'paid',
    [PaymentReversed.type]: 'reversed',
    [PaymentReinstated.type]: 'reinstated',
  }
  const credits = counter(
    {
      name: 'prelude_payments_credits_total',
      help: 'Worth of payments in credits, by flow (paid, reversed, reinstated).',
      labelNames: ['flow'],
    },
    Object.values(flows).map((flow) => ({ flow })),
  )
  const suspicious = counter({
    name: 'prelude_payments_suspicious_total',
    help: 'Payments that were reported to the operator as suspicious.',
  })
  const webhooks = counter(
    {
      name: 'prelude_webhooks_total',
      help: 'Webhooks of payment providers, by outcome (taken, or why they were refused).',
      labelNames: ['provider', 'outcome'],
    },
    [{ provider: 'stripe', outcome: 'taken' }],
  )
  const transfers = gauge({
    name: 'prelude_transfers_waiting',
    help: 'Bank transfers that wait for the operator.',
  })
  const transferAge = gauge({
    name: 'prelude_transfers_waiting_age_seconds',
    help: 'Age of the oldest bank transfer that waits for the operator.',
  })
  const uncredited = gauge({
    name: 'prelude_payments_uncredited',
    help: 'Payments that succeeded and whose credits are not yet added.',
  })
  return {
    metrics: [
      providerCalls,
      started,
      succeeded,
      credits,
      suspicious,
      webhooks,
      transfers,
      transferAge,
      uncredited,
    ],
    providerCalls,
    started: (by) => started.inc({ method: by }),
    webhook: (provider, outcome) =>
      webhooks.inc({ provider: PROVIDERS.has(provider) ? provider : 'unknown', outcome }),
    emitted: (type, data) => {
      const flow = flows[type]
      if (flow !== undefined) credits.inc({ flow }, Number(data['credits']) / 100)
      if (type === PaymentSucceeded.type) succeeded.inc({ method: String(data['method']) })
      if (type === PaymentSuspicious.type) suspicious.inc()
      if (type === TransferOpened.type) started.inc({ method: 'naira_transfer' })
    },
    read: async () => {
      const { rows } = await db.query<{ transfers: number; oldest: number | null; uncredited: number }>(
        `select count(*) as transfers, min(created_at) as oldest,
                (select count(*) from payment where succeeded and not credited) as uncredited
         from payment where method = 'naira_transfer' and status = 'open'`,
      )
      const [row] = rows
      transfers.set(row?.transfers ?? 0)
      transferAge.set(row?.oldest == null ? 0 : Math.max(0, clock.now() - row.oldest) / 1000)
      uncredited.set(row?.uncredited ?? 0)
    },
  }
}
