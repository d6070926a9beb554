import { ANY, requestDurations, row, series, stat, states } from './panels.ts'

/** Whether all is well, and what is not. */
export const overview = [
  row('Now'),
  stat('Firing alerts', 'short', 'count(ALERTS{alertstate="firing", severity!="none"}) or vector(0)', {
    red: ANY,
  }),
  stat('Services down', 'short', '6 - count(max by (service) (up{service!=""}) == 1) or vector(6)', {
    red: ANY,
    alert: 'PreludeServiceDown',
  }),
  stat(
    'Instances down',
    'short',
    'count(up{service!=""} == 0 and time() - timestamp(up{service!=""}) < 60) or vector(0)',
    { red: ANY, alert: 'PreludeInstanceDown' },
  ),
  stat(
    'Dependencies down',
    'short',
    'count(min by (service, dependency) (prelude_dependency_up) == 0) or vector(0)',
    { red: ANY, alert: 'PreludeDependencyDown' },
  ),
  stat(
    'Share of 5xx',
    'percentunit',
    'sum(rate(prelude_public_request_duration_seconds_count{status=~"5.."}[5m])) / (sum(rate(prelude_public_request_duration_seconds_count[5m])) > 0) or vector(0)',
    { red: 0.05, alert: 'PreludePublicErrors' },
  ),
  stat(
    'Public requests, p99',
    's',
    'histogram_quantile(0.99, sum by (le) (rate(prelude_public_request_duration_seconds_bucket{route!~".*(fulfil|uploads|versions|download).*"}[5m]))) >= 0 or vector(0)',
    { red: 1, alert: 'PreludePublicSlow' },
  ),
  stat('Oldest event not forwarded', 's', 'max(prelude_event_backlog_age_seconds)', {
    red: 60,
    alert: 'PreludeEventsNotForwarded',
  }),
  stat('Consumer lag', 'short', 'max(prelude_consumer_lag)', { red: 1000, alert: 'PreludeConsumerLagging' }),
  stat('Dead letters', 'short', 'sum(max by (service, topic) (prelude_dead_letters))', {
    red: ANY,
    alert: 'PreludeDeadLetters',
  }),
  stat('Oldest undecided charge', 's', 'max(prelude_songs_pending_age_seconds{charge="deciding"})', {
    red: 300,
    alert: 'PreludeChargeUndecided',
  }),
  stat('Payments not credited', 'short', 'max(prelude_payments_uncredited)', {
    red: ANY,
    alert: 'PreludePaymentsUncredited',
  }),
  stat('Oldest mail in the queue', 's', 'max(prelude_mail_queue_age_seconds)', {
    red: 600,
    alert: 'PreludeMailQueueOld',
  }),
  row('History'),
  states(
    'Firing alerts, by service',
    {
      '{{alertname}} {{service}}':
        'max by (alertname, service) (ALERTS{alertstate="firing", severity!="none"}) or (label_replace(vector(0), "alertname", "none", "", "") unless on () ALERTS{alertstate="firing", severity!="none"})',
    },
    { isBad: true },
  ),
  states('Services up', { '{{service}}': 'max by (service) (up{service!=""})' }),
  row('Public endpoint'),
  series(
    'Requests by status',
    'reqps',
    {
      '{{status}}': 'sum by (status) (rate(prelude_public_request_duration_seconds_count[$__rate_interval]))',
    },
    { softMax: 0.1, colors: ['green', 'blue', 'orange', 'red'] },
  ),
  series(
    'Problems by code',
    'reqps',
    { '{{code}}': 'sum by (code) (rate(prelude_public_problems_total[$__rate_interval]))' },
    { softMax: 0.1 },
  ),
  ...requestDurations('prelude_public_request_duration_seconds', 'service="gateway"'),
  row('Services'),
  series(
    'Internal requests, p99',
    's',
    {
      '{{service}}':
        'histogram_quantile(0.99, sum by (service, le) (rate(prelude_http_request_duration_seconds_bucket{route!~"/(healthz|readyz|metrics)"}[$__rate_interval])))',
    },
    { w: 6 },
  ),
  series(
    'Consumer lag by service',
    'short',
    { '{{service}}': 'max by (service) (prelude_consumer_lag)' },
    { w: 6, softMax: 1 },
  ),
  series(
    'CPU',
    'percentunit',
    { '{{service}}': 'sum by (service) (rate(process_cpu_seconds_total[$__rate_interval]))' },
    { w: 6, softMax: 1 },
  ),
  series(
    'Memory of the largest instance',
    'bytes',
    { '{{service}}': 'max by (service) (process_resident_memory_bytes)' },
    { w: 6 },
  ),
  row('Live streams'),
  series(
    'Live streams',
    'short',
    { '{{instance}}': 'sum by (instance) (prelude_live_streams)' },
    { softMax: 1 },
  ),
  series(
    'Live messages',
    'suffix:/s',
    { '{{kind}}': 'sum by (kind) (rate(prelude_live_messages_total[$__rate_interval]))' },
    { softMax: 0.1 },
  ),
  series(
    'Live feed lag',
    'short',
    { events: 'max(prelude_live_feed_lag)' },
    { red: 1000, alert: 'PreludeLiveFeedBehind' },
  ),
  row('Audio'),
  series('Uploaded', 'Bps', {
    '{{kind}}': 'sum by (kind) (rate(prelude_upload_bytes_total[$__rate_interval]))',
  }),
  stat('Songs waiting for analysis', 'short', 'max(prelude_analyses_waiting)', {
    w: 8,
    h: 7,
    red: 20,
    alert: 'PreludeAnalysesWait',
  }),
  series(
    'Free space for uploads',
    'percentunit',
    { free: 'min(prelude_disk_free_bytes / prelude_disk_size_bytes)' },
    { red: 0.1, alert: 'PreludeDiskLow', softMax: 1 },
  ),
  row('Mails and push messages'),
  stat('Mails in the queue', 'short', 'max(prelude_mail_queue_depth)', { w: 12 }),
  stat('Failed mails', 'short', 'max(prelude_mails_failed)', {
    w: 12,
    red: ANY,
    alert: 'PreludeMailsFailed',
  }),
  series(
    'Mail attempts, an hour',
    'short',
    { '{{kind}} {{outcome}}': 'round(sum by (kind, outcome) (increase(prelude_mails_total[1h])))' },
    { w: 12, softMax: 1, colors: ['red'] },
  ),
  series(
    'Push attempts, an hour',
    'short',
    { '{{outcome}}': 'round(sum by (outcome) (increase(prelude_pushes_total[1h])))' },
    { w: 12, softMax: 1, colors: ['red'] },
  ),
]
