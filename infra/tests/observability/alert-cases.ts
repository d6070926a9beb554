/**
 * For each alert: series for which it fires, and similar series for which it does not. Values are in promtool's notation:
 * `0x4` is 0 five times, `0+5x4` is 0, 5, 10, 15, 20.
 */
export interface AlertCase {
  readonly fires: Series
  readonly quiet: Series
  /** Evaluation time. */
  readonly at: string
  /** Time between two values and between two evaluations; 30 s by default. */
  readonly every?: string
  /** Labels that the firing alert must have. */
  readonly says?: Readonly<Record<string, string>>
}

export type Series = Readonly<Record<string, string>>

const SERVICES = ['gateway', 'songs', 'credits', 'payments', 'storage', 'notifier']
const up = (service: string, n: number): string =>
  `up{job="prelude",service="${service}",instance="${service}-${n}"}`
const allUp = (): Record<string, string> =>
  Object.fromEntries(SERVICES.map((service) => [up(service, 1), '1x40']))
const without = (service: string): Series => {
  const { [up(service, 1)]: _gone, ...rest } = allUp()
  return rest
}

/** One series above the threshold, and the same series just below it. */
const gauge = (name: string, over: string, under: string, at: string, says = {}): AlertCase => ({
  fires: { [name]: over },
  quiet: { [name]: under },
  at,
  says,
})

const dependency = (name: string): string =>
  `prelude_dependency_up{service="songs",dependency="${name}",instance="a"}`
const answers = (status: number, each: number): Series => ({
  [`prelude_public_request_duration_seconds_count{service="gateway",status="${status}"}`]: `0+${each}x40`,
})
/** Requests every 30 s, and those of them that take less than a second. */
const durations = (all: number, quick: number, route = '/api/songs'): Series => {
  const series = (name: string, le = ''): string =>
    `prelude_public_request_duration_seconds_${name}{service="gateway",route="${route}"${le}}`
  return {
    [series('bucket', ',le="1"')]: `0+${quick}x1000`,
    [series('bucket', ',le="2.5"')]: `0+${all}x1000`,
    [series('bucket', ',le="+Inf"')]: `0+${all}x1000`,
    [series('count')]: `0+${all}x1000`,
  }
}
const calls = (ok: number, failed: number): Series =>
  Object.fromEntries(
    Object.entries({ ok, failed }).map(([outcome, each]) => [
      `prelude_dependency_call_duration_seconds_count{service="storage",dependency="blobs",outcome="${outcome}"}`,
      `0+${each}x60`,
    ]),
  )
/** Promises that passed, and songs delivered before. */
const promises = (missed: string, kept: string): Series => ({
  'prelude_events_emitted_total{service="songs",type="SongLate"}': missed,
  'prelude_song_promise_used_ratio_bucket{service="songs",le="1"}': kept,
})
const connections = (used: string): Series => ({
  'prelude_db_pool_connections{service="songs",instance="a",state="used"}': used,
  'prelude_db_pool_connections{service="songs",instance="a",state="idle"}': '0x40',
  'prelude_db_pool_size{service="songs",instance="a"}': '8x40',
})
const signIns = (failed: number): Series => ({
  'prelude_sign_ins_total{outcome="failed"}': `0+${failed}x60`,
  'prelude_sign_ins_total{outcome="ok"}': '0+1x60',
})
const job = (ok: string): Series => ({
  'prelude_job_duration_seconds_count{service="storage",job="sweep",outcome="failed"}': '0+1x60',
  'prelude_job_duration_seconds_count{service="storage",job="sweep",outcome="ok"}': ok,
})

const disk = (free: string): Series => {
  const at = '{job="prelude-machine",instance="a",mountpoint="/volumes/docker"}'
  return { [`node_filesystem_avail_bytes${at}`]: free, [`node_filesystem_size_bytes${at}`]: '100x400' }
}
const postgresConnections = (open: number): Series => ({
  'pg_stat_activity_count{job="prelude-postgres",instance="a",state="idle"}': `${open - 10}x40`,
  'pg_stat_activity_count{job="prelude-postgres",instance="a",state="active"}': '10x40',
  'pg_settings_max_connections{job="prelude-postgres",instance="a"}': '200x40',
})
const archiver = (archived: string): Series => ({
  'pg_stat_archiver_failed_count{job="prelude-postgres",instance="a"}': '0+1x60',
  'pg_stat_archiver_archived_count{job="prelude-postgres",instance="a"}': archived,
})
const redisMemory = (used: number, most: number): Series => ({
  'redis_memory_used_bytes{job="prelude-redis",instance="a"}': `${used}x40`,
  'redis_memory_max_bytes{job="prelude-redis",instance="a"}': `${most}x40`,
})

const CASES: Readonly<Record<string, AlertCase | readonly AlertCase[]>> = {
  PreludeServiceDown: {
    fires: without('songs'),
    quiet: { ...allUp(), [up('songs', 2)]: '0x40' },
    at: '5m',
    says: { service: 'songs', severity: 'critical' },
  },
  PreludeInstanceDown: {
    fires: { [up('songs', 1)]: '1x40', [up('songs', 2)]: '0x40' },
    quiet: {
      [up('songs', 1)]: '1x40',
      [up('songs', 2)]: '1x4 0x2 1x40',
      // removed by an update while Prometheus was down
      [up('songs', 3)]: '1x2 0x1',
    },
    at: '5m',
    says: { service: 'songs' },
  },
  PreludeRestartLoop: gauge(
    'process_start_time_seconds{service="songs",instance="a"}',
    '1x4 2x4 3x4 4x20',
    '1x4 2x30',
    '10m',
  ),
  PreludeDependencyDown: gauge(dependency('database'), '1x2 0x40', '1x2 0x1 1x40', '5m', {
    dependency: 'database',
  }),
  PreludeCallsFailing: [
    { fires: calls(10, 20), quiet: calls(10, 5), at: '15m', says: { dependency: 'blobs' } },
    // little traffic, and all of it fails: six calls in five minutes, and three
    { fires: calls(0, 0.6), quiet: calls(0, 0.3), at: '15m' },
  ],
  PreludeMetricsUnreadable: gauge(
    'prelude_metrics_read_errors_total{service="songs"}',
    '0+1x40',
    '0x4 1x40',
    '8m',
  ),
  PreludePublicErrors: {
    fires: { ...answers(503, 10), ...answers(200, 100) },
    // a few requests at night
    quiet: {
      'prelude_public_request_duration_seconds_count{service="gateway",status="503"}': '0x10 3x30',
      ...answers(200, 1),
    },
    at: '10m',
  },
  PreludeErrorBudgetBurning: [
    {
      fires: { ...answers(503, 5), ...answers(200, 100) },
      quiet: { ...answers(503, 1), ...answers(200, 150), ...answers(404, 100) },
      at: '19m',
    },
    // one in a hundred; of little traffic, nearly all
    {
      fires: { ...answers(503, 1), ...answers(200, 100) },
      quiet: { ...answers(503, 0.4), ...answers(200, 0.1) },
      at: '19m',
    },
  ],
  PreludePublicSlow: [
    {
      fires: durations(100, 90),
      quiet: { ...durations(100, 100), ...durations(100, 0, '/api/operator/uploads/:id') },
      at: '20m',
    },
    // at night: six slow requests in five minutes, and one
    { fires: durations(1, 0.4), quiet: durations(0.5, 0.4), at: '20m' },
  ],
  PreludeLatencyBudgetBurning: [
    {
      fires: durations(100, 98),
      quiet: { ...durations(1000, 995), ...durations(100, 0, '/api/operator/uploads/:id') },
      at: '19m',
    },
    // little traffic: 24 slow requests, and 12
    { fires: durations(1, 0.4), quiet: durations(1, 0.7), at: '19m' },
  ],
  PreludeSignInsFailing: { fires: signIns(2), quiet: signIns(0), at: '25m' },
  PreludeEventsNotForwarded: gauge(
    'prelude_event_backlog_age_seconds{service="songs"}',
    '0+30x40',
    '45x40',
    '10m',
    { service: 'songs' },
  ),
  PreludeDeadLetters: gauge(
    'prelude_dead_letters{service="credits",topic="prelude.songs"}',
    '0x2 1x10',
    '0x10',
    '3m',
    {
      topic: 'prelude.songs',
    },
  ),
  PreludeEventForged: gauge(
    'prelude_events_forged_total{service="credits",topic="prelude.payments",instance="a"}',
    '0x4 1x40',
    '0x40',
    '10m',
    { service: 'credits', topic: 'prelude.payments' },
  ),
  PreludeConsumerLagging: gauge(
    'prelude_consumer_lag{service="credits",topic="prelude.songs"}',
    '5000x40',
    '5000x6 900x40',
    '10m',
    { service: 'credits' },
  ),
  PreludeConsumerStalled: {
    fires: { 'prelude_consumer_last_attempt_timestamp_seconds{service="credits",instance="a"}': '0x40' },
    quiet: {
      'prelude_consumer_last_attempt_timestamp_seconds{service="credits",instance="a"}': '0+30x40',
      // removed by an update while Prometheus was down
      'prelude_consumer_last_attempt_timestamp_seconds{service="credits",instance="gone"}': '0+30x2',
    },
    at: '5m',
  },
  PreludeLiveFeedBehind: gauge('prelude_live_feed_lag{service="gateway"}', '2000x40', '2000x4 0x40', '10m'),
  PreludeJobFailing: { fires: job('0x60'), quiet: job('0+1x60'), at: '20m', says: { job: 'sweep' } },
  PreludeChargeUndecided: gauge(
    'prelude_songs_pending_age_seconds{charge="deciding"}',
    '0+30x40',
    '0+30x3 0x40',
    '10m',
  ),
  PreludeSongsOverdue: gauge('prelude_songs_overdue_seconds', '86000+60x40', '84000+60x40', '15m'),
  PreludePromisesMissed: [
    { fires: promises('0+0.1x60', '0+1x60'), quiet: promises('0+0.1x60', '0+3x60'), at: '20m' },
    // three late songs, and two
    { fires: promises('0 3x60', '0x60'), quiet: promises('0 2x60', '0x60'), at: '20m' },
    // late ones of this day, and of the day before yesterday
    {
      every: '30m',
      fires: promises('0x90 6x10', '0+0.6x100'),
      quiet: promises('0 6x100', '0+0.6x100'),
      at: '49h',
    },
  ],
  PreludeAnalysesWait: gauge('prelude_analyses_waiting{service="storage"}', '30x120', '30x20 0x120', '40m'),
  PreludeDraftsLost: {
    fires: {
      'prelude_drafts_total{outcome="lost"}': '0x4 3x40',
      'prelude_drafts_total{outcome="failed"}': '0x4 2x40',
    },
    quiet: {
      'prelude_drafts_total{outcome="lost"}': '0x4 3x40',
      'prelude_drafts_total{outcome="ready"}': '0+1x44',
    },
    at: '20m',
  },
  PreludePaymentsUncredited: gauge(
    'prelude_payments_uncredited{service="payments"}',
    '1x40',
    '1x10 0x40',
    '15m',
  ),
  PreludePaymentSuspicious: gauge(
    'prelude_payments_suspicious_total{service="payments"}',
    '0x4 1x40',
    '1x40',
    '10m',
  ),
  PreludeWebhooksRefused: {
    fires: { 'prelude_webhooks_total{provider="stripe",outcome="invalid_signature"}': '0+1x40' },
    quiet: {
      'prelude_webhooks_total{provider="stripe",outcome="invalid_signature"}': '0x4 1x40',
      'prelude_webhooks_total{provider="stripe",outcome="taken"}': '0+9x40',
    },
    at: '10m',
    says: { provider: 'stripe' },
  },
  PreludeTransfersWait: gauge('prelude_transfers_waiting_age_seconds', '3000+60x40', '1000+60x40', '15m'),
  PreludeInvariantBroken: gauge(
    'prelude_invariant_breaches{service="credits",invariant="all entries sum to zero"}',
    '0x2 1x10',
    '0x10',
    '3m',
    { service: 'credits', invariant: 'all entries sum to zero' },
  ),
  PreludeCrossCheckStale: gauge('prelude_cross_check_age_seconds', '10000+60x400', '60x400', '3h'),
  PreludeBackupOld: gauge('prelude_backup_age_seconds{kind="all"}', '93000+60x60', '60x60', '30m', {
    kind: 'all',
  }),
  PreludeBackupFindings: gauge('prelude_backup_findings', '0x2 1x10', '0x10', '3m'),
  PreludeWalNotArchived: gauge('prelude_wal_unarchived_bytes', '0+16777216x60', '200000000x60', '30m'),
  PreludeCertificateExpires: {
    fires: { prelude_certificate_left_seconds: '1200000-30x200' },
    quiet: { prelude_certificate_left_seconds: '0x20 5000000-30x180' },
    at: '80m',
  },
  PreludeMailQueueOld: gauge('prelude_mail_queue_age_seconds', '0+30x120', '600x120', '40m'),
  PreludeMailsFailed: gauge('prelude_mails_failed', '0x2 1x10', '0x10', '3m'),
  PreludePushesUnauthorized: gauge('prelude_pushes_unauthorized_people', '0x2 3x10', '2x10', '3m'),
  PreludeDiskLow: {
    fires: {
      'prelude_disk_free_bytes{instance="storage-1"}': '5x40',
      'prelude_disk_size_bytes{instance="storage-1"}': '100x40',
    },
    quiet: {
      'prelude_disk_free_bytes{instance="storage-1"}': '50x40',
      'prelude_disk_size_bytes{instance="storage-1"}': '100x40',
    },
    at: '10m',
    says: { instance: 'storage-1' },
  },
  PreludeConnectionsExhausted: {
    fires: connections('8x40'),
    quiet: connections('8x2 5x2 8x2 1x40'),
    at: '5m',
  },
  PreludeEventLoopLate: gauge(
    'nodejs_eventloop_lag_p99_seconds{service="songs",instance="a"}',
    '0.8x40',
    '0.02x40',
    '10m',
  ),
  PreludeServerUnwatched: [
    {
      fires: { 'up{job="prelude-redis",instance="a"}': '0x40' },
      quiet: { 'up{job="prelude-redis",instance="a"}': '1x40', 'up{job="other",instance="a"}': '0x40' },
      at: '10m',
    },
    gauge('pg_up{job="prelude-postgres",instance="a"}', '0x40', '0x4 1x40', '10m'),
    gauge('redis_up{job="prelude-redis",instance="a"}', '0x40', '1x40', '10m'),
  ],
  PreludeServerDiskLow: [
    { fires: disk('9x60'), quiet: disk('11x60'), at: '20m', says: { mountpoint: '/volumes/docker' } },
    // it loses 29 a day, with 23 and with 53 left; nothing a day
    { fires: disk('25-0.01x400'), quiet: disk('55-0.01x400'), at: '2h' },
    { fires: disk('25-0.01x400'), quiet: disk('25x400'), at: '2h' },
  ],
  PreludePostgresConnectionsHigh: {
    fires: postgresConnections(170),
    quiet: postgresConnections(150),
    at: '10m',
  },
  PreludeWalArchiveFailing: { fires: archiver('0x60'), quiet: archiver('0+1x60'), at: '20m' },
  PreludeReplicaBehind: gauge(
    'pg_replication_slots_pg_wal_lsn_diff{job="prelude-postgres",slot_name="replica"}',
    '2000000000x40',
    '2000000000x4 1000000000x40',
    '10m',
    { slot_name: 'replica' },
  ),
  PreludeRedisMemoryHigh: [
    { fires: redisMemory(81, 100), quiet: redisMemory(79, 100), at: '10m' },
    { fires: redisMemory(99, 100), quiet: redisMemory(99, 0), at: '10m' },
  ],
  PreludeKafkaUnderReplicated: gauge(
    'kafka_topic_partition_under_replicated_partition{job="prelude-kafka",topic="prelude.songs",partition="0"}',
    '1x40',
    '1x4 0x40',
    '10m',
  ),
}

export const ALERT_CASES = Object.entries(CASES).flatMap(([alert, cases]) =>
  [cases].flat().map((one, n) => ({ alert, n, ...one })),
)
