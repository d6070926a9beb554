import { counter, type Database, dependencyCalls, gauge, type Measures } from '@prelude/platform'

export interface MailMeasures extends Measures {
  readonly calls: ReturnType<typeof dependencyCalls>
  /** `sent`, `retried` (this attempt failed, another follows), `failed` (given up). */
  readonly tried: (kind: string, outcome: 'sent' | 'retried' | 'failed') => void
}

/** Mails sent, waiting and given up. */
export function mailMeasures(db: Database): MailMeasures {
  const calls = dependencyCalls()
  const mails = counter({
    name: 'prelude_mails_total',
    help: 'Tries to send a mail, by kind and outcome (sent, retried, failed).',
    labelNames: ['kind', 'outcome'],
  })
  const depth = gauge({ name: 'prelude_mail_queue_depth', help: 'Mails that are not sent yet.' })
  const age = gauge({
    name: 'prelude_mail_queue_age_seconds',
    help: 'Age of the oldest mail that is not sent yet.',
  })
  const failed = gauge({
    name: 'prelude_mails_failed',
    help: 'Mails that were given up, to be sent by hand.',
  })
  return {
    metrics: [calls, mails, depth, age, failed],
    calls,
    tried: (kind, outcome) => mails.inc({ kind, outcome }),
    read: async () => {
      const { rows } = await db.query<{ depth: number; oldest: number | null; failed: number }>(
        `select count(*) as depth, min(created_at) as oldest,
                (select count(*) from message where state = 'failed') as failed
         from message where state in ('pending', 'sending')`,
      )
      const [row] = rows
      depth.set(row?.depth ?? 0)
      age.set(row?.oldest == null ? 0 : Math.max(0, Date.now() - row.oldest) / 1000)
      failed.set(row?.failed ?? 0)
    },
  }
}
