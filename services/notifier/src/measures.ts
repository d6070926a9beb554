import { counter, type Database, dependencyCalls, gauge, type Measures } from '@prelude/platform'

export interface MailMeasures extends Measures {
  readonly calls: ReturnType<typeof dependencyCalls>
  /** `sent`, `retried` (this attempt failed, another follows), `failed` (given up). */
  readonly tried: (kind: string, outcome: 'sent' | 'retried' | 'failed') => void
}

/** Mails sent, waiting and given up; the result of the check across services, and the age of the last backup. */
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
  const crossBreaches = gauge({
    name: 'prelude_cross_invariant_breaches',
    help: 'Breaches of what services must agree on, as last checked.',
    labelNames: ['invariant'],
  })
  const crossAge = gauge({
    name: 'prelude_cross_check_age_seconds',
    help: 'Time since it was last checked what services must agree on.',
  })
  const backupAge = gauge({
    name: 'prelude_backup_age_seconds',
    help: 'Time since the last backup was taken; 0 before the first.',
  })
  const readBackup = async (): Promise<void> => {
    const { rows } = await db.query<{ takenAt: number }>('select taken_at as "takenAt" from backup')
    backupAge.set(rows[0] ? Math.max(0, Date.now() - rows[0].takenAt) / 1000 : 0)
  }
  const readCrossCheck = async (): Promise<void> => {
    const { rows } = await db.query<{ invariant: string; breaches: number; checkedAt: number }>(
      'select invariant, breaches, checked_at as "checkedAt" from cross_check',
    )
    crossBreaches.reset()
    for (const { invariant, breaches } of rows) crossBreaches.set({ invariant }, breaches)
    const [first] = rows
    crossAge.set(first ? Math.max(0, Date.now() - first.checkedAt) / 1000 : 0)
  }
  return {
    metrics: [calls, mails, depth, age, failed, crossBreaches, crossAge, backupAge],
    calls,
    tried: (kind, outcome) => mails.inc({ kind, outcome }),
    read: async () => {
      await readCrossCheck()
      await readBackup()
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
