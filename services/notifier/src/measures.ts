import { type Clock, counter, type Database, dependencyCalls, gauge, type Measures } from '@prelude/platform'
import { unarchivedBytes } from './archive.ts'
import { certificateOf } from './certificate.ts'
import { RecipientRefused } from './mail/port.ts'

export interface MailMeasures extends Measures {
  readonly calls: ReturnType<typeof dependencyCalls>
  /** `sent`, `retried` (this attempt failed, another follows), `failed` (given up). */
  readonly tried: (kind: string, outcome: 'sent' | 'retried' | 'failed') => void
  /** As of a mail, and `gone`: the browser has ended its subscription; `unauthorized`: our signature was refused. */
  readonly pushed: (outcome: PushTry) => void
}

const PUSH_TRIES = ['sent', 'retried', 'failed', 'gone', 'unauthorized'] as const
type PushTry = (typeof PUSH_TRIES)[number]

/** Mails sent, waiting and given up; pushes; the result of the check across services, the age of the last backup, the archive of the database, and the certificate people see. */
export function mailMeasures(db: Database, clock: Clock, publicUrl: string): MailMeasures {
  const metrics = {
    calls: dependencyCalls(),
    mails: counter(
      'prelude_mails_total',
      'Tries to send a mail, by kind and outcome (sent, retried, failed).',
      ['kind', 'outcome'],
    ),
    pushes: counter(
      'prelude_pushes_total',
      'Tries to send a push, by outcome (sent, retried, failed, gone, unauthorized).',
      ['outcome'],
      PUSH_TRIES.map((outcome) => ({ outcome })),
    ),
    depth: gauge('prelude_mail_queue_depth', 'Mails that are due and not sent yet.'),
    age: gauge('prelude_mail_queue_age_seconds', 'Age of the oldest mail that is not sent yet.'),
    failed: gauge(
      'prelude_mails_failed',
      'Mails that were given up, to be sent by hand; not those whose recipient refuses them, of which any person can have some.',
    ),
    unauthorized: gauge(
      'prelude_pushes_unauthorized_people',
      'People for whom a push waits whose signature their push service refuses.',
    ),
    crossBreaches: gauge(
      'prelude_cross_invariant_breaches',
      'Breaches of the cross-service invariants, as last checked.',
      ['invariant'],
    ),
    crossAge: gauge(
      'prelude_cross_check_age_seconds',
      'Time since the cross-service invariants were last checked; the uptime of this process before the first check.',
    ),
    backupAge: gauge(
      'prelude_backup_age_seconds',
      'Time since the last backup (all), or base backup of a database with an archive (database); before the first of all, since the first song was charged.',
      ['kind'],
    ),
    backupFindings: gauge(
      'prelude_backup_findings',
      'How many things are wrong with the data of the last backup.',
    ),
    backupFree: gauge('prelude_disk_free_bytes', 'Free bytes on the volume of the last backup, after it.'),
    backupSize: gauge(
      'prelude_disk_size_bytes',
      'Size of the volume of the last backup; 0 before the first.',
    ),
    unarchived: gauge(
      'prelude_wal_unarchived_bytes',
      'WAL of the database server that is not archived yet; 0 where it archives none.',
    ),
    certificateLeft: gauge(
      'prelude_certificate_left_seconds',
      'Time until the certificate of PUBLIC_URL expires, below 0 afterwards; 0 without https or an answer.',
    ),
  }
  const certificate = certificateOf(publicUrl, clock)
  const readCertificate = (): void => {
    const expiresAt = certificate()
    metrics.certificateLeft.set(expiresAt === null ? 0 : (expiresAt - clock.now()) / 1000)
  }
  const readBackup = async (): Promise<void> => {
    const { rows } = await db.query<{
      kind: string
      takenAt: number | null
      findings: number
      free: number | null
      size: number | null
    }>(
      `select kind, taken_at as "takenAt", findings, disk_free_bytes as free, disk_size_bytes as size from backup
       where kind = 'all' or current_setting('archive_mode') <> 'off'
       union all
       -- the first mail about a charged song: a backup of it is due a day later
       select 'all', (select min(created_at) from message
         where kind = 'song-requested' and refs ->> 'waiting' = 'false' or kind = 'song-cooking'), 0, null, null
       where not exists (select from backup where kind = 'all')`,
    )
    metrics.backupAge.reset()
    for (const { kind, takenAt, findings, free, size } of rows) {
      metrics.backupAge.set({ kind }, takenAt === null ? 0 : Math.max(0, clock.now() - takenAt) / 1000)
      if (kind !== 'all') continue
      metrics.backupFindings.set(findings)
      metrics.backupFree.set(free ?? 0)
      metrics.backupSize.set(size ?? 0)
    }
  }
  const readCrossCheck = async (): Promise<void> => {
    const { rows } = await db.query<{ invariant: string; breaches: number; checkedAt: number }>(
      'select invariant, breaches, checked_at as "checkedAt" from cross_check',
    )
    metrics.crossBreaches.reset()
    for (const { invariant, breaches } of rows) metrics.crossBreaches.set({ invariant }, breaches)
    const [first] = rows
    // the uptime, so that a check that never ran raises the alarm of a late one
    metrics.crossAge.set(first ? Math.max(0, clock.now() - first.checkedAt) / 1000 : process.uptime())
  }
  return {
    metrics: Object.values(metrics),
    calls: metrics.calls,
    tried: (kind, outcome) => metrics.mails.inc({ kind, outcome }),
    pushed: (outcome) => metrics.pushes.inc({ outcome }),
    read: async () => {
      await readCrossCheck()
      await readBackup()
      metrics.unarchived.set(await unarchivedBytes(db))
      readCertificate()
      const { rows } = await db.query<{
        depth: number
        oldest: number | null
        failed: number
        unauthorized: number
      }>(
        `select count(*) as depth, min(created_at) as oldest,
                (select count(*) from message where state = 'failed'
                 and (to_operator or last_error not like '${RecipientRefused.name}%')) as failed,
                (select count(distinct uid) from push_message join push_subscription on id = subscription_id
                 where unauthorized) as unauthorized
         from message where state in ('pending', 'sending') and created_at <= $1`,
        [clock.now()],
      )
      const [row] = rows
      metrics.depth.set(row?.depth ?? 0)
      metrics.age.set(row?.oldest == null ? 0 : Math.max(0, clock.now() - row.oldest) / 1000)
      metrics.failed.set(row?.failed ?? 0)
      metrics.unauthorized.set(row?.unauthorized ?? 0)
    },
  }
}
