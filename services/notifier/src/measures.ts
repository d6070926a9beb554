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
  const calls = dependencyCalls()
  const mails = counter({
    name: 'prelude_mails_total',
    help: 'Tries to send a mail, by kind and outcome (sent, retried, failed).',
    labelNames: ['kind', 'outcome'],
  })
  const pushes = counter(
    {
      name: 'prelude_pushes_total',
      help: 'Tries to send a push, by outcome (sent, retried, failed, gone, unauthorized).',
      labelNames: ['outcome'],
    },
    PUSH_TRIES.map((outcome) => ({ outcome })),
  )
  const depth = gauge({
    name: 'prelude_mail_queue_depth',
    help: 'Mails that are due and not sent yet.',
  })
  const age = gauge({
    name: 'prelude_mail_queue_age_seconds',
    help: 'Age of the oldest mail that is not sent yet.',
  })
  const failed = gauge({
    name: 'prelude_mails_failed',
    help: 'Mails that were given up, to be sent by hand; not those whose recipient refuses them, of which any person can have some.',
  })
  const unauthorized = gauge({
    name: 'prelude_pushes_unauthorized_people',
    help: 'People for whom a push waits whose signature their push service refuses.',
  })
  const crossBreaches = gauge({
    name: 'prelude_cross_invariant_breaches',
    help: 'Breaches of the cross-service invariants, as last checked.',
    labelNames: ['invariant'],
  })
  const crossAge = gauge({
    name: 'prelude_cross_check_age_seconds',
    help: 'Time since the cross-service invariants were last checked; the uptime of this process before the first check.',
  })
  const backupAge = gauge({
    name: 'prelude_backup_age_seconds',
    help: 'Time since the last backup (all), or base backup of a database with an archive (database); before the first of all, since the first song was charged.',
    labelNames: ['kind'],
  })
  const backupFindings = gauge({
    name: 'prelude_backup_findings',
    help: 'How many things are wrong with the data of the last backup.',
  })
  const backupFree = gauge({
    name: 'prelude_disk_free_bytes',
    help: 'Free bytes on the volume of the last backup, after it.',
  })
  const backupSize = gauge({
    name: 'prelude_disk_size_bytes',
    help: 'Size of the volume of the last backup; 0 before the first.',
  })
  const unarchived = gauge({
    name: 'prelude_wal_unarchived_bytes',
    help: 'WAL of the database server that is not archived yet; 0 where it archives none.',
  })
  const certificateLeft = gauge({
    name: 'prelude_certificate_left_seconds',
    help: 'Time until the certificate of PUBLIC_URL expires, below 0 afterwards; 0 without https or an answer.',
  })
  const certificate = certificateOf(publicUrl, clock)
  const readCertificate = (): void => {
    const expiresAt = certificate()
    certificateLeft.set(expiresAt === null ? 0 : (expiresAt - clock.now()) / 1000)
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
    backupAge.reset()
    for (const { kind, takenAt, findings, free, size } of rows) {
      backupAge.set({ kind }, takenAt === null ? 0 : Math.max(0, clock.now() - takenAt) / 1000)
      if (kind !== 'all') continue
      backupFindings.set(findings)
      backupFree.set(free ?? 0)
      backupSize.set(size ?? 0)
    }
  }
  const readCrossCheck = async (): Promise<void> => {
    const { rows } = await db.query<{ invariant: string; breaches: number; checkedAt: number }>(
      'select invariant, breaches, checked_at as "checkedAt" from cross_check',
    )
    crossBreaches.reset()
    for (const { invariant, breaches } of rows) crossBreaches.set({ invariant }, breaches)
    const [first] = rows
    // the uptime, so that a check that never ran raises the alarm of a late one
    crossAge.set(first ? Math.max(0, clock.now() - first.checkedAt) / 1000 : process.uptime())
  }
  return {
    metrics: [
      calls,
      mails,
      pushes,
      depth,
      age,
      failed,
      unauthorized,
      crossBreaches,
      crossAge,
      backupAge,
      backupFindings,
      backupFree,
      backupSize,
      unarchived,
      certificateLeft,
    ],
    calls,
    tried: (kind, outcome) => mails.inc({ kind, outcome }),
    pushed: (outcome) => pushes.inc({ outcome }),
    read: async () => {
      await readCrossCheck()
      await readBackup()
      unarchived.set(await unarchivedBytes(db))
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
      depth.set(row?.depth ?? 0)
      age.set(row?.oldest == null ? 0 : Math.max(0, clock.now() - row.oldest) / 1000)
      failed.set(row?.failed ?? 0)
      unauthorized.set(row?.unauthorized ?? 0)
    },
  }
}
