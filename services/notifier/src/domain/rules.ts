import { type ServiceState, SILENT_AFTER_MS } from '@prelude/contracts'
import type { AlertName, ServiceName } from '@prelude/contracts'

/** A failed check; after `forMs` it fires as an alert. */
export interface Finding {
  readonly name: AlertName
  readonly service: ServiceName | null
  /** Distinguishes findings of one name and service: a dependency, an instance. */
  readonly subject: string
  readonly detail: string
  readonly forMs: number
}

/** Null for a service that does not answer. */
export type States = Readonly<Partial<Record<ServiceName, ServiceState | null>>>

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const STALLED_AFTER_MS = 2 * MINUTE
const LAGGING = 1_000
const LOW_DISK = 0.1
const MIB = 2 ** 20
const DAY_SECONDS = 86_400
const CERTIFICATE_DAYS = 14

/** The failed checks. The limits are those of the rules in infra/observability. */
export function findingsIn(states: States, now: number): Finding[] {
  const services = Object.entries(states) as [ServiceName, ServiceState | null][]
  return [
    ...dependencies(services, now),
    ...services.flatMap(([service, state]) =>
      state === null
        ? [finding('PreludeServiceDown', service, 'it does not answer', { forMs: MINUTE })]
        : [...instances(service, state, now), ...queues(service, state), ...gauges(service, state.gauges)],
    ),
  ]
}

/** Services whose state is not known, so that no alert of theirs counts as resolved. */
export const unknownIn = (states: States): ReadonlySet<string> =>
  new Set(Object.entries(states).flatMap(([service, state]) => (state?.deadLetters ? [] : [service])))

const finding = (
  name: AlertName,
  service: ServiceName | null,
  detail: string,
  { subject = '', forMs = 0 }: { subject?: string; forMs?: number } = {},
): Finding => ({ name, service, subject, detail, forMs })

const isLive = ({ seenAt }: { seenAt: number }, now: number): boolean => now - seenAt < SILENT_AFTER_MS

/** One finding per server or provider, however many services miss it. */
function dependencies(services: readonly [ServiceName, ServiceState | null][], now: number): Finding[] {
  const missing = new Map<string, Set<ServiceName>>()
  for (const [service, state] of services)
    for (const instance of state?.instances ?? [])
      for (const { name, state: is } of isLive(instance, now) ? instance.dependencies : [])
        if (is !== 'ok') missing.set(name, (missing.get(name) ?? new Set()).add(service))
  return [...missing].map(([subject, by]) =>
    finding('PreludeDependencyDown', null, `${subject} does not answer ${[...by].join(', ')}`, {
      subject,
      forMs: MINUTE,
    }),
  )
}

function instances(service: ServiceName, { instances: all }: ServiceState, now: number): Finding[] {
  return all.flatMap((one) => {
    const at = { subject: one.id }
    if (!isLive(one, now)) {
      const detail = `${one.id} is silent`
      return [finding('PreludeInstanceDown', service, detail, { ...at, forMs: 2 * MINUTE })]
    }
    const { attemptAt, connections, failingJobs } = one
    return [
      ...(attemptAt !== null && now - attemptAt > STALLED_AFTER_MS
        ? [
            finding(
              'PreludeConsumerStalled',
              service,
              `${one.id} has not tried to read events for minutes`,
              at,
            ),
          ]
        : []),
      ...(connections.used >= connections.most
        ? [
            finding('PreludeConnectionsExhausted', service, `${one.id} uses all ${connections.most}`, {
              ...at,
              forMs: 2 * MINUTE,
            }),
          ]
        : []),
      ...failingJobs
        .filter(({ failures }) => failures >= 3)
        .map(({ name }) =>
          finding('PreludeJobFailing', service, `${name} fails in ${one.id}`, {
            subject: `${one.id} ${name}`,
          }),
        ),
    ]
  })
}

function queues(service: ServiceName, { backlog, topics, deadLetters }: ServiceState): Finding[] {
  const found: Finding[] = []
  if (backlog && backlog.ageSeconds > 60)
    found.push(
      finding('PreludeEventsNotForwarded', service, `${several(backlog.events, 'event')} not forwarded yet`, {
        forMs: MINUTE,
      }),
    )
  const dead = topics.reduce((sum, topic) => sum + topic.deadLetters, 0)
  if (dead > 0) {
    const types = [...new Set((deadLetters ?? []).map(({ type }) => type ?? 'unreadable'))].join(', ')
    found.push(
      finding('PreludeDeadLetters', service, `${several(dead, 'event')} could not be handled: ${types}`),
    )
  }
  for (const { topic, lag } of topics)
    if ((lag ?? 0) > LAGGING)
      found.push(
        finding('PreludeConsumerLagging', service, `${lag} events of ${topic} wait`, {
          subject: topic,
          forMs: 5 * MINUTE,
        }),
      )
  return found
}

interface GaugeRule {
  readonly name: AlertName
  readonly gauge: string
  readonly above: number
  readonly forMs?: number
  readonly subject?: string
  readonly detail: (value: number) => string
}

const GAUGE_RULES: readonly GaugeRule[] = [
  {
    name: 'PreludeMailQueueOld',
    gauge: 'prelude_mail_queue_age_seconds',
    above: 600,
    forMs: 5 * MINUTE,
    detail: (age) => `a mail has waited ${minutes(age)}`,
  },
  {
    name: 'PreludeCrossCheckStale',
    gauge: 'prelude_cross_check_age_seconds',
    above: (3 * HOUR) / SECOND,
    forMs: 30 * MINUTE,
    detail: (age) => `services were not compared for ${minutes(age)}`,
  },
  {
    name: 'PreludeBackupOld',
    gauge: 'prelude_backup_age_seconds{kind="all"}',
    above: (26 * HOUR) / SECOND,
    detail: (age) => `no backup was taken for ${minutes(age)}`,
  },
  {
    name: 'PreludeBackupOld',
    gauge: 'prelude_backup_age_seconds{kind="database"}',
    above: (26 * HOUR) / SECOND,
    subject: 'database',
    detail: (age) => `no base backup of the database was taken for ${minutes(age)}`,
  },
  {
    name: 'PreludeBackupFindings',
    gauge: 'prelude_backup_findings',
    above: 0,
    detail: (findings) => `the last backup has ${several(findings, 'finding')}`,
  },
  {
    name: 'PreludeWalNotArchived',
    gauge: 'prelude_wal_unarchived_bytes',
    above: 256 * MIB,
    forMs: 5 * MINUTE,
    detail: (bytes) => `${Math.floor(bytes / MIB)} MB of WAL are not archived`,
  },
  {
    name: 'PreludeMailsFailed',
    gauge: 'prelude_mails_failed',
    above: 0,
    detail: (mails) => `${several(mails, 'mail')} given up`,
  },
  {
    name: 'PreludePushesUnauthorized',
    gauge: 'prelude_pushes_unauthorized_people',
    // one or two people may have named push services of their own, which refuse what they like
    above: 2,
    detail: (people) => `push services refuse our signature for ${people} people`,
  },
  {
    name: 'PreludePaymentsUncredited',
    gauge: 'prelude_payments_uncredited',
    above: 0,
    forMs: 10 * MINUTE,
    detail: (payments) => `${several(payments, 'payment')} not credited`,
  },
  {
    name: 'PreludeTransfersWait',
    gauge: 'prelude_transfers_waiting_age_seconds',
    above: HOUR / SECOND,
    detail: (age) => `a bank transfer has waited ${minutes(age)}`,
  },
  {
    name: 'PreludeChargeUndecided',
    gauge: 'prelude_songs_pending_age_seconds{charge="deciding"}',
    above: 300,
    forMs: MINUTE,
    detail: (age) => `a request has been undecided for ${minutes(age)}`,
  },
  {
    name: 'PreludeSongsOverdue',
    gauge: 'prelude_songs_overdue_seconds',
    above: (24 * HOUR) / SECOND,
    detail: (age) => `a song is ${minutes(age)} later than promised`,
  },
]

const several = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const minutes = (seconds: number): string => `${Math.floor(seconds / 60)} minutes`

function gauges(service: ServiceName, values: ServiceState['gauges']): Finding[] {
  const found = GAUGE_RULES.flatMap(({ name, gauge, above, forMs = 0, subject = '', detail }) => {
    const value = values[gauge]
    return value !== undefined && value > above
      ? [finding(name, service, detail(value), { subject, forMs })]
      : []
  })
  const { prelude_disk_free_bytes: free, prelude_disk_size_bytes: size } = values
  if (free !== undefined && size !== undefined && free / size < LOW_DISK)
    found.push(
      finding('PreludeDiskLow', service, `${Math.floor((free / size) * 100)} % of the disk is free`, {
        forMs: 5 * MINUTE,
      }),
    )
  const { prelude_certificate_left_seconds: left = 0 } = values
  if (left !== 0 && left < CERTIFICATE_DAYS * DAY_SECONDS)
    found.push(
      finding('PreludeCertificateExpires', service, `${Math.floor(left / DAY_SECONDS)} days are left`, {
        forMs: HOUR,
      }),
    )
  for (const [series, breaches] of Object.entries(values)) {
    const [, invariant] = /^prelude_(?:cross_)?invariant_breaches\{invariant="(.*)"\}$/.exec(series) ?? []
    if (invariant !== undefined && breaches > 0)
      found.push(
        finding('PreludeInvariantBroken', service, `${invariant}: ${breaches} breaches`, {
          subject: invariant,
        }),
      )
  }
  return found
}
