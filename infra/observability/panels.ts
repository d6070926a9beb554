/** Panels of the dashboards, and the rows that several services share. */

export type Unit = 'reqps' | 'eps' | 's' | 'short' | 'percentunit' | 'bytes' | 'Bps' | 'credits'

/** Threshold of an alert in prometheus/alerts.yml; a test compares both. */
export interface Limit {
  readonly alert?: string
  readonly above?: number
  readonly below?: number
}

export interface Panel {
  readonly title: string
  readonly unit: Unit
  /** PromQL; `legend` is Grafana's legend format. */
  readonly queries: readonly { readonly expr: string; readonly legend: string }[]
  /** Instead of a time series: the last value, or a state timeline where 1 is good (`well`) or bad (`ill`). */
  readonly type?: 'number' | 'well' | 'ill'
  /** Full width with a table as legend, for many lines. */
  readonly wide?: true
  readonly limit?: Limit
  /** Soft maximum of the axis; default by unit. */
  readonly scale?: number
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[]
}

export const lines = (title: string, unit: Unit, expr: string, legend: string, limit?: Limit): Panel => ({
  title,
  unit,
  queries: [{ expr, legend }],
  ...(limit && { limit }),
})
export const number = (title: string, unit: Unit, expr: string, limit?: Limit): Panel => ({
  ...lines(title, unit, expr, title, limit),
  type: 'number',
})
/** State timeline of series that are 0 or 1. */
export const states = (title: string, type: 'well' | 'ill', expr: string, legend: string): Panel => ({
  ...lines(title, 'short', expr, legend),
  type,
})
const quantiles = (title: string, series: string): Panel => ({
  title,
  unit: 's',
  queries: [0.5, 0.9, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${series}${RATE})))`,
    legend: `p${quantile * 100}`,
  })),
})

const legendOf = (labels: string): string => labels.replaceAll(/\w+/g, '{{$&}}').replaceAll(',', '')

/** Increase of a counter within an hour or a day, rounded, by these labels. */
export const growth = (
  title: string,
  unit: Unit,
  counter: string,
  labels: string,
  within: '1h' | '1d' = '1h',
): Panel =>
  lines(title, unit, `round(sum by (${labels}) (increase(${counter}[${within}])))`, legendOf(labels))

/** Rate of a counter, by these labels. */
export const pace = (title: string, unit: Unit, counter: string, labels: string): Panel =>
  lines(title, unit, `sum by (${labels}) (rate(${counter}${RATE}))`, legendOf(labels))

export const RATE = '[$__rate_interval]'

/** Rate, errors and duration of requests, and the slowest routes. */
export const requests = (family: string, labels: string, errors?: Limit): Panel[] => {
  const counted = (more = '') => `sum(rate(${family}_count{${labels}${more}}${RATE}))`
  return [
    lines(
      'Requests by status',
      'reqps',
      `sum by (status) (rate(${family}_count{${labels}}${RATE}))`,
      '{{status}}',
    ),
    {
      ...lines(
        'Share of errors',
        'percentunit',
        `(${counted(',status=~"5.."')} or vector(0)) / ${counted()}`,
        '5xx',
        errors,
      ),
      scale: 0.05,
    },
    quantiles('Duration of requests', `${family}_bucket{${labels}}`),
    {
      // the quantile of a route without requests is NaN: `>= 0` drops it
      ...lines(
        'Slowest routes, p99',
        's',
        `topk(8, histogram_quantile(0.99, sum by (le, method, route) (rate(${family}_bucket{${labels}}${RATE}))) >= 0)`,
        '{{method}} {{route}}',
      ),
      wide: true,
    },
  ]
}

export const events = (service: string): Panel[] => [
  lines(
    'Events handled',
    'eps',
    `sum by (type, outcome) (rate(prelude_event_handling_duration_seconds_count{service="${service}"}${RATE}))`,
    '{{type}} {{outcome}}',
  ),
  quantiles('Duration of handling', `prelude_event_handling_duration_seconds_bucket{service="${service}"}`),
  lines('Consumer lag', 'short', `max by (topic) (prelude_consumer_lag{service="${service}"})`, '{{topic}}', {
    alert: 'PreludeConsumerLagging',
    above: 1000,
  }),
  {
    title: 'Dead letters and parked keys',
    unit: 'short',
    queries: [
      { expr: `sum(max by (topic) (prelude_dead_letters{service="${service}"}))`, legend: 'dead letters' },
      { expr: `sum(max by (topic) (prelude_parked_keys{service="${service}"}))`, legend: 'parked keys' },
    ],
    limit: { alert: 'PreludeDeadLetters', above: 0 },
  },
]

export const forwarder = (service: string): Panel[] => [
  lines(
    'Events forwarded',
    'eps',
    `sum(rate(prelude_events_forwarded_total{service="${service}"}${RATE}))`,
    'forwarded',
  ),
  lines('Not forwarded', 'short', `max(prelude_event_backlog{service="${service}"})`, 'events'),
  lines('Oldest not forwarded', 's', `max(prelude_event_backlog_age_seconds{service="${service}"})`, 'age', {
    alert: 'PreludeEventsNotForwarded',
    above: 60,
  }),
]

export const health = (service: string): Panel[] => [
  states('Instances up', 'well', `max by (instance) (up{service="${service}"})`, '{{instance}}'),
  states(
    'Dependencies up',
    'well',
    `min by (dependency) (prelude_dependency_up{service="${service}"})`,
    '{{dependency}}',
  ),
  lines('CPU', 'percentunit', `rate(process_cpu_seconds_total{service="${service}"}${RATE})`, '{{instance}}'),
  lines('Memory', 'bytes', `process_resident_memory_bytes{service="${service}"}`, '{{instance}}'),
  lines(
    'Event loop lag, p99',
    's',
    `clamp_min(nodejs_eventloop_lag_p99_seconds{service="${service}"} - 0.1, 0)`,
    '{{instance}}',
    { alert: 'PreludeEventLoopLate', above: 0.4 },
  ),
  lines(
    'Database connections',
    'short',
    `sum by (state) (prelude_db_pool_connections{service="${service}"})`,
    '{{state}}',
  ),
  lines('Queued for a connection', 'short', `max(prelude_db_pool_waiting{service="${service}"})`, 'queued'),
  lines(
    'Failed jobs, an hour',
    'short',
    `round(sum by (job) (increase(prelude_job_duration_seconds_count{service="${service}",outcome="failed"}[1h]) or 0 * increase(prelude_job_duration_seconds_count{service="${service}"}[1h])))`,
    '{{job}}',
  ),
]

export const calls = (service: string): Panel[] => [
  lines(
    'Calls by outcome',
    'reqps',
    `sum by (dependency, operation, outcome) (rate(prelude_dependency_call_duration_seconds_count{service="${service}"}${RATE}))`,
    '{{dependency}} {{operation}} {{outcome}}',
  ),
  quantiles('Duration of calls', `prelude_dependency_call_duration_seconds_bucket{service="${service}"}`),
]
