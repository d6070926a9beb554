/** What dashboards are made of: panels, and the rows that several parts have. */

export type Unit = 'reqps' | 'eps' | 's' | 'short' | 'percentunit' | 'bytes' | 'Bps' | 'credits'

/** Where an alert of prometheus/alerts.yml begins; a test holds that it begins there. */
export interface Limit {
  readonly alert?: string
  readonly above?: number
  readonly below?: number
}

export interface Panel {
  readonly title: string
  readonly unit: Unit
  /** PromQL; `legend` names what each series is, in Grafana's way. */
  readonly queries: readonly { readonly expr: string; readonly legend: string }[]
  /** Instead of lines over time: the last number alone, or when each series was 1 (well) and when 0, or the other way round. */
  readonly look?: 'number' | 'well' | 'ill'
  /** The whole width, with a table of what is shown: for many lines. */
  readonly wide?: true
  readonly limit?: Limit
  /** Where the scale ends while all lines are lower, if not where those of its unit do. */
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
  look: 'number',
})
/** When each series was 1, which is well or ill, and when 0. */
export const states = (title: string, look: 'well' | 'ill', expr: string, legend: string): Panel => ({
  ...lines(title, 'short', expr, legend),
  look,
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

/** What a counter grew by within an hour or a day, in whole ones, a line for each value of these labels. */
export const growth = (
  title: string,
  unit: Unit,
  counter: string,
  labels: string,
  within: '1h' | '1d' = '1h',
): Panel =>
  lines(title, unit, `round(sum by (${labels}) (increase(${counter}[${within}])))`, legendOf(labels))

/** How fast a counter grows. */
export const pace = (title: string, unit: Unit, counter: string, labels: string): Panel =>
  lines(title, unit, `sum by (${labels}) (rate(${counter}${RATE}))`, legendOf(labels))

export const RATE = '[$__rate_interval]'

/** Requests of one family, told apart by route. */
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
        'answered 5xx',
        errors,
      ),
      scale: 0.05,
    },
    quantiles('Duration of requests', `${family}_bucket{${labels}}`),
    {
      // one that nobody asks for just now is no number, which is left out
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

export const events = (part: string): Panel[] => [
  lines(
    'Events handled',
    'eps',
    `sum by (type, outcome) (rate(prelude_event_handling_duration_seconds_count{part="${part}"}${RATE}))`,
    '{{type}} {{outcome}}',
  ),
  quantiles('Duration of handling', `prelude_event_handling_duration_seconds_bucket{part="${part}"}`),
  lines('Not yet handled', 'short', `max by (topic) (prelude_consumer_lag{part="${part}"})`, '{{topic}}', {
    alert: 'PreludeConsumerLagging',
    above: 1000,
  }),
  {
    title: 'Parked: waits for a repair',
    unit: 'short',
    queries: [
      { expr: `sum(max by (topic) (prelude_dead_letters{part="${part}"}))`, legend: 'events' },
      { expr: `sum(max by (topic) (prelude_inbox_parked_keys{part="${part}"}))`, legend: 'people' },
    ],
    limit: { alert: 'PreludeDeadLetters', above: 0 },
  },
]

export const outbox = (part: string): Panel[] => [
  lines('Events sent', 'eps', `sum(rate(prelude_outbox_sent_total{part="${part}"}${RATE}))`, 'sent'),
  lines('Waiting to be sent', 'short', `max(prelude_outbox_depth{part="${part}"})`, 'events'),
  lines('Oldest that waits', 's', `max(prelude_outbox_age_seconds{part="${part}"})`, 'age', {
    alert: 'PreludeOutboxOld',
    above: 60,
  }),
  lines('Refused by the bus', 'short', `max(prelude_outbox_blocked_keys{part="${part}"})`, 'people', {
    alert: 'PreludeOutboxBlocked',
    above: 0,
  }),
]

export const health = (part: string): Panel[] => [
  states('Instances that answer', 'well', `max by (instance) (up{part="${part}"})`, '{{instance}}'),
  states(
    'Dependencies that answer',
    'well',
    `min by (dependency) (prelude_dependency_up{part="${part}"})`,
    '{{dependency}}',
  ),
  lines('Processor', 'percentunit', `rate(process_cpu_seconds_total{part="${part}"}${RATE})`, '{{instance}}'),
  lines('Memory', 'bytes', `process_resident_memory_bytes{part="${part}"}`, '{{instance}}'),
  lines(
    'Event loop late, p99',
    's',
    `clamp_min(nodejs_eventloop_lag_p99_seconds{part="${part}"} - 0.1, 0)`,
    '{{instance}}',
    { alert: 'PreludeEventLoopLate', above: 0.4 },
  ),
  lines(
    'Database connections',
    'short',
    `sum by (state) (prelude_db_pool_connections{part="${part}"})`,
    '{{state}}',
  ),
  lines('Waiting for a connection', 'short', `max(prelude_db_pool_waiting{part="${part}"})`, 'waiting'),
  lines(
    'Jobs that failed, an hour',
    'short',
    `round(sum by (job) (increase(prelude_job_duration_seconds_count{part="${part}",outcome="failed"}[1h]) or 0 * increase(prelude_job_duration_seconds_count{part="${part}"}[1h])))`,
    '{{job}}',
  ),
]

export const calls = (part: string): Panel[] => [
  lines(
    'Calls by outcome',
    'reqps',
    `sum by (dependency, operation, outcome) (rate(prelude_dependency_call_duration_seconds_count{part="${part}"}${RATE}))`,
    '{{dependency}} {{operation}} {{outcome}}',
  ),
  quantiles('Duration of calls', `prelude_dependency_call_duration_seconds_bucket{part="${part}"}`),
]
