import { quantiles, requestDurations, row, series, states } from './panels.ts'

/** One service, chosen at the top. */
export const service = [
  row('Health'),
  states('Instances up', { '{{instance}}': 'max by (instance) (up{service="$service"})' }, { w: 6 }),
  states(
    'Dependencies up',
    { '{{dependency}}': 'min by (dependency) (prelude_dependency_up{service="$service"})' },
    { w: 6 },
  ),
  series(
    'CPU',
    'percentunit',
    { '{{instance}}': 'rate(process_cpu_seconds_total{service="$service"}[$__rate_interval])' },
    { w: 6, softMax: 1 },
  ),
  series(
    'Memory',
    'bytes',
    { '{{instance}}': 'process_resident_memory_bytes{service="$service"}' },
    { w: 6 },
  ),
  series(
    'Event loop lag, p99',
    's',
    { '{{instance}}': 'clamp_min(nodejs_eventloop_lag_p99_seconds{service="$service"} - 0.1, 0)' },
    { w: 6, red: 0.4, alert: 'PreludeEventLoopLate' },
  ),
  series(
    'Database connections',
    'short',
    { '{{state}}': 'sum by (state) (prelude_db_pool_connections{service="$service"})' },
    { w: 6, softMax: 1 },
  ),
  series(
    'Queued for a connection',
    'short',
    { queued: 'max(prelude_db_pool_waiting{service="$service"})' },
    { w: 6, softMax: 1 },
  ),
  series(
    'Failed jobs, an hour',
    'short',
    {
      '{{job}}':
        'round(sum by (job) (increase(prelude_job_duration_seconds_count{service="$service",outcome="failed"}[1h]) or 0 * increase(prelude_job_duration_seconds_count{service="$service"}[1h])))',
    },
    { w: 6, softMax: 1 },
  ),
  row('Requests'),
  series(
    'Requests by status',
    'reqps',
    {
      '{{status}}':
        'sum by (status) (rate(prelude_http_request_duration_seconds_count{service="$service",route!~"/(healthz|readyz|metrics)"}[$__rate_interval]))',
    },
    { softMax: 0.1, colors: ['green', 'blue', 'orange', 'red'] },
  ),
  series(
    'Share of errors',
    'percentunit',
    {
      '5xx':
        '(sum(rate(prelude_http_request_duration_seconds_count{service="$service",route!~"/(healthz|readyz|metrics)",status=~"5.."}[$__rate_interval])) or vector(0)) / sum(rate(prelude_http_request_duration_seconds_count{service="$service",route!~"/(healthz|readyz|metrics)"}[$__rate_interval]))',
    },
    { softMax: 0.05, colors: ['red'] },
  ),
  ...requestDurations(
    'prelude_http_request_duration_seconds',
    'service="$service",route!~"/(healthz|readyz|metrics)"',
  ),
  row('Events'),
  series(
    'Events handled',
    'suffix:/s',
    {
      '{{type}} {{outcome}}':
        'sum by (type, outcome) (rate(prelude_event_handling_duration_seconds_count{service="$service"}[$__rate_interval]))',
    },
    { w: 6, softMax: 0.1, colors: ['red'] },
  ),
  series(
    'Duration of handling',
    's',
    quantiles('rate(prelude_event_handling_duration_seconds_bucket{service="$service"}[$__rate_interval])'),
    { w: 6, colors: ['green', 'yellow', 'orange'] },
  ),
  series(
    'Consumer lag',
    'short',
    { '{{topic}}': 'max by (topic) (prelude_consumer_lag{service="$service"})' },
    { w: 6, red: 1000, alert: 'PreludeConsumerLagging' },
  ),
  series(
    'Dead letters and parked keys',
    'short',
    {
      'dead letters': 'sum(max by (topic) (prelude_dead_letters{service="$service"}))',
      'parked keys': 'sum(max by (topic) (prelude_parked_keys{service="$service"}))',
    },
    { w: 6, red: 1, alert: 'PreludeDeadLetters' },
  ),
  row('Forwarder'),
  series(
    'Events forwarded',
    'suffix:/s',
    { forwarded: 'sum(rate(prelude_events_forwarded_total{service="$service"}[$__rate_interval]))' },
    { softMax: 0.1 },
  ),
  series(
    'Not forwarded',
    'short',
    { events: 'max(prelude_event_backlog{service="$service"})' },
    { softMax: 1 },
  ),
  series(
    'Oldest not forwarded',
    's',
    { age: 'max(prelude_event_backlog_age_seconds{service="$service"})' },
    { red: 60, alert: 'PreludeEventsNotForwarded' },
  ),
  row('Calls to servers and providers'),
  series(
    'Calls by outcome',
    'reqps',
    {
      '{{dependency}} {{operation}} {{outcome}}':
        'sum by (dependency, operation, outcome) (rate(prelude_dependency_call_duration_seconds_count{service="$service"}[$__rate_interval]))',
    },
    { w: 12, softMax: 0.1, colors: ['red'] },
  ),
  series(
    'Duration of calls',
    's',
    quantiles('rate(prelude_dependency_call_duration_seconds_bucket{service="$service"}[$__rate_interval])'),
    { w: 12, colors: ['green', 'yellow', 'orange'] },
  ),
]
