import { type Database, Unavailable } from '@prelude/platform'
import { testClock, testLogger } from '@prelude/platform/testing'
import { expect, test, vi } from 'vitest'
import { type AlertName, ALERTS, type ServiceState } from '@prelude/contracts'
import { alertReceivers, NO_RECEIVERS, type Receiver } from '../src/alert-receivers.ts'
import type { RunsIn } from '../src/domain/operator-command.ts'
import { watchProduct } from '../src/jobs/watch-product.ts'
import { type Finding, findingsIn, type States, unknownIn } from '../src/domain/rules.ts'
import {
  type ActiveAlerts,
  updateAlerts,
  newsFor,
  type Notified,
  notifiedOfAll,
} from '../src/domain/watch.ts'
import type { Mailer } from '../src/mail/port.ts'

const SECOND = 1_000
const NOW = Date.UTC(2026, 0, 31)

const WELL: ServiceState = {
  instances: [
    {
      id: 'one:9000',
      pid: 1,
      startedAt: NOW,
      seenAt: NOW,
      dependencies: [{ name: 'database', state: 'ok', since: NOW }],
      leads: true,
      attemptAt: NOW,
      connections: { used: 1, most: 8, waiting: 0 },
      failingJobs: [],
      notes: null,
    },
  ],
  backlog: null,
  topics: [{ topic: 'prelude.songs', lag: 0, deadLetters: 0, parkedKeys: 0 }],
  deadLetters: [],
  gauges: { prelude_disk_free_bytes: 50, prelude_disk_size_bytes: 100, prelude_mails_failed: 0 },
}
const instance = (change: Partial<ServiceState['instances'][number]>): ServiceState => ({
  ...WELL,
  instances: WELL.instances.map((one) => ({ ...one, ...change })),
})
const topic = (change: Partial<ServiceState['topics'][number]>): ServiceState => ({
  ...WELL,
  topics: WELL.topics.map((one) => ({ ...one, ...change })),
})
const gauge = (gauges: ServiceState['gauges']): ServiceState => ({ ...WELL, gauges })

test('a product that is well gives no finding', () => {
  expect(findingsIn({ songs: WELL, notifier: WELL }, NOW)).toEqual([])
})

test.for<[string, ServiceState | null]>([
  ['PreludeServiceDown', null],
  ['PreludeInstanceDown', instance({ seenAt: NOW - 60 * SECOND })],
  ['PreludeDependencyDown', instance({ dependencies: [{ name: 'bus', state: 'degraded', since: NOW }] })],
  ['PreludeConsumerStalled', instance({ attemptAt: NOW - 180 * SECOND })],
  ['PreludeConnectionsExhausted', instance({ connections: { used: 8, most: 8, waiting: 11 } })],
  ['PreludeJobFailing', instance({ failingJobs: [{ name: 'sweep', failures: 3, error: 'Error' }] })],
  ['PreludeEventsNotForwarded', { ...WELL, backlog: { events: 3, ageSeconds: 61 } }],
  ['PreludeDeadLetters', topic({ deadLetters: 1 })],
  ['PreludeConsumerLagging', topic({ lag: 1_001 })],
  ['PreludeMailQueueOld', gauge({ prelude_mail_queue_age_seconds: 601 })],
  ['PreludeMailsFailed', gauge({ prelude_mails_failed: 1 })],
  ['PreludePushesUnauthorized', gauge({ prelude_pushes_unauthorized_people: 3 })],
  ['PreludePaymentsUncredited', gauge({ prelude_payments_uncredited: 1 })],
  ['PreludeTransfersWait', gauge({ prelude_transfers_waiting_age_seconds: 3_601 })],
  ['PreludeChargeUndecided', gauge({ 'prelude_songs_pending_age_seconds{charge="deciding"}': 301 })],
  ['PreludeSongsOverdue', gauge({ prelude_songs_overdue_seconds: 86_401 })],
  ['PreludeDiskLow', gauge({ prelude_disk_free_bytes: 9, prelude_disk_size_bytes: 100 })],
  ['PreludeCrossCheckStale', gauge({ prelude_cross_check_age_seconds: 10_801 })],
  ['PreludeBackupOld', gauge({ 'prelude_backup_age_seconds{kind="all"}': 93_601 })],
  ['PreludeBackupOld', gauge({ 'prelude_backup_age_seconds{kind="database"}': 93_601 })],
  ['PreludeBackupFindings', gauge({ prelude_backup_findings: 1 })],
  ['PreludeWalNotArchived', gauge({ prelude_wal_unarchived_bytes: 256 * 2 ** 20 + 1 })],
  ['PreludeCertificateExpires', gauge({ prelude_certificate_left_seconds: 1_209_599 })],
  ['PreludeCertificateExpires', gauge({ prelude_certificate_left_seconds: -1 })],
  ['PreludeInvariantBroken', gauge({ 'prelude_cross_invariant_breaches{invariant="both agree"}': 1 })],
  ['PreludeInvariantBroken', gauge({ 'prelude_invariant_breaches{invariant="all sums are zero"}': 2 })],
])('%s is noticed, alone', ([name, state]) => {
  expect(findingsIn({ songs: state }, NOW).map((one) => one.name)).toEqual([name])
})

test('a server that many services miss is one finding', () => {
  const state = instance({ dependencies: [{ name: 'database', state: 'down', since: NOW }] })
  const [only, second] = findingsIn({ songs: state, credits: state }, NOW)
  expect(only?.detail).toContain('songs, credits')
  expect(second).toBeUndefined()
})

test('details use the singular and the plural', () => {
  const detail = (mails: number) =>
    findingsIn({ notifier: gauge({ prelude_mails_failed: mails }) }, NOW)[0]?.detail
  expect([detail(1), detail(2)]).toEqual(['1 mail given up', '2 mails given up'])
})

const finding = (change: Partial<Finding> = {}): Finding => ({
  name: 'PreludeDeadLetters',
  service: 'credits',
  subject: '',
  detail: '1 event',
  forMs: 0,
  ...change,
})

/** Alerting with one receiver; each round answers its notification. */
function watching() {
  let alerts: ActiveAlerts = {}
  let notified: Notified = {}
  return (seconds: number, findings: readonly Finding[], unknown: readonly string[] = []): string[] => {
    const now = NOW + seconds * SECOND
    alerts = updateAlerts(alerts, findings, { now, settleMs: 30 * SECOND, unknown: new Set(unknown) })
    const news = newsFor(notified, alerts, { now, repeatMs: 3_600 * SECOND })
    if (!news) return []
    notified = notifiedOfAll(alerts, now)
    return [
      ...news.firing.map(({ name }) => `new ${name}`),
      ...news.lasting.map(({ name }) => `still ${name}`),
      ...news.resolved.map(({ name }) => `over ${name}`),
    ]
  }
}

test('an alert is sent once, repeated after a time, and sent when it is resolved', () => {
  const round = watching()
  expect(round(0, [finding()])).toEqual(['new PreludeDeadLetters'])
  expect(round(15, [finding({ detail: '2 events' })])).toEqual([])
  expect(round(3_600, [finding()])).toEqual(['still PreludeDeadLetters'])
  expect(round(3_615, [finding()])).toEqual([])
  expect(round(3_650, [])).toEqual(['over PreludeDeadLetters'])
  expect(round(3_665, [])).toEqual([])
})

test('a flapping condition is one alert', () => {
  const round = watching()
  expect(round(0, [finding()])).toEqual(['new PreludeDeadLetters'])
  for (let seconds = 15; seconds < 300; seconds += 15)
    expect(round(seconds, seconds % 30 === 0 ? [finding()] : [])).toEqual([])
})

test('a condition that ends before its time is never sent', () => {
  const round = watching()
  const brief = finding({ name: 'PreludeDependencyDown', service: null, forMs: 60 * SECOND })
  expect(round(0, [brief])).toEqual([])
  expect(round(45, [brief])).toEqual([])
  expect(round(50, [])).toEqual([])
  expect(round(65, [brief])).toEqual([])
  expect(round(130, [brief])).toEqual(['new PreludeDependencyDown'])
})

test('alerts of a service whose state is unknown are not resolved', () => {
  const round = watching()
  const down = finding({ name: 'PreludeServiceDown' })
  expect(round(0, [finding()])).toEqual(['new PreludeDeadLetters'])
  expect(round(60, [down], ['credits'])).toEqual(['new PreludeServiceDown', 'still PreludeDeadLetters'])
  expect(round(300, [down], ['credits'])).toEqual([])
  expect(round(360, [finding()])).toEqual(['still PreludeDeadLetters', 'over PreludeServiceDown'])
  const states: States = { songs: null, credits: { ...WELL, deadLetters: null }, notifier: WELL }
  expect([...unknownIn(states)]).toEqual(['songs', 'credits'])
})

test.for<[string, boolean]>([
  ['alerts without a lease', false],
  ['is silent when another one holds the lease', true],
])('an instance that starts while the database is down %s', async ([_what, hasAnswered]) => {
  const clock = testClock()
  const query = vi.fn<Database['query']>().mockRejectedValue(new Unavailable('the database'))
  if (hasAnswered) query.mockResolvedValueOnce({ rows: [], rowCount: 0 })
  const notify = vi.fn<Receiver['notify']>().mockResolvedValue()
  const down = () => Promise.reject(new Unavailable('every service'))
  const { job } = watchProduct({
    db: { query } as unknown as Database,
    clock,
    instance: 'one',
    calls: { call: down, invoke: down },
    logger: testLogger(),
    settings: { ...NO_RECEIVERS, everyMs: SECOND, repeatMs: 3_600 * SECOND },
    receivers: [{ name: 'mail', notify }],
  })
  for (let minute = 0; minute < 10; minute++) {
    await job.run(new AbortController().signal)
    clock.pass(60 * SECOND)
  }
  expect(notify).toHaveBeenCalledTimes(hasAnswered ? 0 : 1)
})

const RUNS_IN: [RunsIn, string, string][] = [
  [
    'containers',
    'docker compose run --rm prepare prelude check-invariants',
    'docker compose logs --tail 50 songs',
  ],
  [
    'kubernetes',
    'kubectl -n prelude create job --from=cronjob/check-invariants check-invariants-$(date +%s)',
    'kubectl -n prelude logs --tail 50 -l app.kubernetes.io/name=songs --prefix',
  ],
  [
    { checkout: '/opt/prelude', dataDir: '/var/lib/prelude' },
    'cd /opt/prelude && DATA_DIR=/var/lib/prelude make prelude RUN=check-invariants',
    'journalctl -u prelude -n 50',
  ],
]
test.for(RUNS_IN)(
  'in %s the mail about an alert has the advice of /ops and the command of this installation',
  async ([runsIn, check, log]) => {
    const send = vi.fn<Mailer['send']>().mockResolvedValue()
    const branding = {
      brandName: 'Prelude',
      publicUrl: 'https://songs.example',
      supportEmail: 'help@songs.example',
      operatorEmail: 'desk@songs.example',
      changesIncluded: 1,
      changesDays: 3,
    }
    const [mail] = alertReceivers(
      { ...NO_RECEIVERS, email: 'night@songs.example', runsIn },
      { mailer: { send, ping: () => Promise.resolve(), close: () => Promise.resolve() }, branding },
    )
    const active = (name: AlertName, service: string) => {
      const alert = { name, service, detail: 'x', since: NOW, lastSeen: NOW, dueAt: NOW }
      return alert
    }
    await mail?.notify({
      firing: [active('PreludeInvariantBroken', 'credits')],
      lasting: [active('PreludeServiceDown', 'songs'), active('PreludeDiskLow', 'storage')],
      resolved: [],
    })
    const text = send.mock.calls[0]?.[0].text
    expect(text).toContain(`${ALERTS.PreludeInvariantBroken.toDo} ${check}\n`)
    expect(text).toContain(`${ALERTS.PreludeServiceDown.toDo} ${log}\n`)
    expect(text).toContain(`${ALERTS.PreludeDiskLow.toDo}\n`)
  },
)
