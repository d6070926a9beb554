/** What the dashboards show. Rendered for Grafana by `render.ts`; every query is run against a real product by a test. */

export type Unit = 'reqps' | 'eps' | 's' | 'short' | 'percentunit' | 'bytes' | 'Bps' | 'credits'

export interface Panel {
  readonly title: string
  readonly unit: Unit
  /** PromQL; `legend` names what each series is, in Grafana's way. */
  readonly queries: readonly { readonly expr: string; readonly legend: string }[]
  /** The last number alone, instead of a line over time. */
  readonly single?: true
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[]
}

const lines = (title: string, unit: Unit, expr: string, legend: string): Panel => ({
  title,
  unit,
  queries: [{ expr, legend }],
})
const number = (title: string, unit: Unit, expr: string): Panel => ({
  title,
  unit,
  queries: [{ expr, legend: title }],
  single: true,
})
const quantiles = (title: string, series: string): Panel => ({
  title,
  unit: 's',
  queries: [0.5, 0.9, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le) (rate(${series}[$__rate_interval])))`,
    legend: `p${quantile * 100}`,
  })),
})

const RATE = '[$__rate_interval]'

/** Requests of one family, told apart by route. */
const requests = (family: string, labels: string): Panel[] => {
  const counted = (more = '') => `sum(rate(${family}_count{${labels}${more}}${RATE}))`
  return [
    lines(
      'Requests by status',
      'reqps',
      `sum by (status) (rate(${family}_count{${labels}}${RATE}))`,
      '{{status}}',
    ),
    lines(
      'Share of errors',
      'percentunit',
      `(${counted(',status=~"5.."')} or vector(0)) / ${counted()}`,
      'answered 5xx',
    ),
    quantiles('Duration', `${family}_bucket{${labels}}`),
    lines(
      'Slowest routes, p99',
      's',
      `topk(8, histogram_quantile(0.99, sum by (le, method, route) (rate(${family}_bucket{${labels}}${RATE}))))`,
      '{{method}} {{route}}',
    ),
  ]
}

const events = (part: string): Panel[] => [
  lines(
    'Events handled',
    'eps',
    `sum by (type, outcome) (rate(prelude_event_handling_duration_seconds_count{part="${part}"}${RATE}))`,
    '{{type}} {{outcome}}',
  ),
  quantiles('Duration of handling', `prelude_event_handling_duration_seconds_bucket{part="${part}"}`),
  lines('Not yet handled', 'short', `max by (topic) (prelude_consumer_lag{part="${part}"})`, '{{topic}}'),
  {
    title: 'Parked: waits for a repair',
    unit: 'short',
    queries: [
      { expr: `max by (topic) (prelude_dead_letters{part="${part}"})`, legend: 'events of {{topic}}' },
      { expr: `max by (topic) (prelude_inbox_parked_keys{part="${part}"})`, legend: 'people of {{topic}}' },
    ],
  },
]

const outbox = (part: string): Panel[] => [
  lines('Events sent', 'eps', `sum(rate(prelude_outbox_sent_total{part="${part}"}${RATE}))`, 'sent'),
  lines('Waiting to be sent', 'short', `max(prelude_outbox_depth{part="${part}"})`, 'events'),
  lines('Oldest that waits', 's', `max(prelude_outbox_age_seconds{part="${part}"})`, 'age'),
  lines('Refused by the bus', 'short', `max(prelude_outbox_blocked_keys{part="${part}"})`, 'people'),
]

const health = (part: string): Panel[] => [
  number('Instances', 'short', `sum(up{part="${part}"})`),
  lines(
    'Dependencies that answer',
    'short',
    `min by (dependency) (prelude_dependency_up{part="${part}"})`,
    '{{dependency}}',
  ),
  lines('Processor', 'percentunit', `rate(process_cpu_seconds_total{part="${part}"}${RATE})`, '{{instance}}'),
  lines('Memory', 'bytes', `process_resident_memory_bytes{part="${part}"}`, '{{instance}}'),
  lines('Event loop late, p99', 's', `nodejs_eventloop_lag_p99_seconds{part="${part}"}`, '{{instance}}'),
  lines(
    'Database connections',
    'short',
    `sum by (state) (prelude_db_pool_connections{part="${part}"})`,
    '{{state}}',
  ),
  lines('Waiting for a connection', 'short', `max(prelude_db_pool_waiting{part="${part}"})`, 'waiting'),
  lines(
    'Jobs that failed',
    'short',
    `sum by (job) (increase(prelude_job_duration_seconds_count{part="${part}",outcome="failed"}[1h]) or 0 * increase(prelude_job_duration_seconds_count{part="${part}"}[1h]))`,
    '{{job}}',
  ),
]

const calls = (part: string): Panel[] => [
  lines(
    'Calls by outcome',
    'reqps',
    `sum by (dependency, operation, outcome) (rate(prelude_dependency_call_duration_seconds_count{part="${part}"}${RATE}))`,
    '{{dependency}} {{operation}} {{outcome}}',
  ),
  quantiles('Duration of calls', `prelude_dependency_call_duration_seconds_bucket{part="${part}"}`),
]

interface PartDashboard {
  readonly part: string
  readonly rows: Dashboard['rows']
}

/** What a part has of its own comes first, what all parts have last. */
const ofPart = ({ part, rows }: PartDashboard): Dashboard => ({
  uid: `prelude-${part}`,
  title: `Prelude: ${part}`,
  rows: [...rows, { title: 'Outbox', panels: outbox(part) }, { title: 'Health', panels: health(part) }],
})

/** Of other parts; health pages are not counted. */
const internal = (part: string) => ({
  title: 'Requests',
  panels: requests(
    'prelude_http_request_duration_seconds',
    `part="${part}",route!~"/(healthz|readyz|metrics)"`,
  ),
})
const consumed = (part: string) => ({ title: 'Events', panels: events(part) })

const PARTS: readonly PartDashboard[] = [
  {
    part: 'gateway',
    rows: [
      {
        title: 'The public door',
        panels: requests('prelude_public_request_duration_seconds', 'part="gateway"'),
      },
      {
        title: 'People',
        panels: [
          lines(
            'Refusals by code',
            'reqps',
            `sum by (code) (rate(prelude_public_problems_total${RATE}))`,
            '{{code}}',
          ),
          lines('Live streams', 'short', 'sum by (instance) (prelude_live_streams)', '{{instance}}'),
          lines(
            'Live messages',
            'eps',
            `sum by (kind) (rate(prelude_live_messages_total${RATE}))`,
            '{{kind}}',
          ),
          lines('Live updates not yet sent', 'short', 'max(prelude_live_feed_lag)', 'events'),
          lines(
            'Sign-ins',
            'short',
            'sum by (outcome) (increase(prelude_sign_ins_total[1h]))',
            '{{outcome}}',
          ),
        ],
      },
      { title: 'Session store', panels: calls('gateway') },
    ],
  },
  {
    part: 'songs',
    rows: [
      {
        title: 'Songs',
        panels: [
          lines('Not ready, by charge', 'short', 'max by (charge) (prelude_songs_pending)', '{{charge}}'),
          lines(
            'Oldest not ready, by charge',
            's',
            'max by (charge) (prelude_songs_pending_age_seconds)',
            '{{charge}}',
          ),
        ],
      },
      internal('songs'),
      consumed('songs'),
    ],
  },
  {
    part: 'credits',
    rows: [
      {
        title: 'Ledger',
        panels: [
          lines(
            'Credits in, an hour',
            'credits',
            'sum by (reason) (increase(prelude_credits_added_total[1h]))',
            '{{reason}}',
          ),
          lines(
            'Credits out, an hour',
            'credits',
            'sum by (reason) (increase(prelude_credits_taken_total[1h]))',
            '{{reason}}',
          ),
          lines(
            'Answers to requests, an hour',
            'short',
            'sum by (outcome) (increase(prelude_song_charges_total[1h]))',
            '{{outcome}}',
          ),
          number('Songs that wait for credits', 'short', 'max(prelude_songs_waiting_for_credits)'),
          number('Credits owed', 'credits', 'max(prelude_credits_owed)'),
        ],
      },
      internal('credits'),
      consumed('credits'),
    ],
  },
  {
    part: 'payments',
    rows: [
      {
        title: 'Money',
        panels: [
          lines(
            'Started, an hour',
            'short',
            'sum by (method) (increase(prelude_payments_started_total[1h]))',
            '{{method}}',
          ),
          lines(
            'Paid, an hour',
            'short',
            'sum by (method) (increase(prelude_payments_succeeded_total[1h]))',
            '{{method}}',
          ),
          lines(
            'Webhooks, an hour',
            'short',
            'sum by (provider, outcome) (increase(prelude_webhooks_total[1h]))',
            '{{provider}} {{outcome}}',
          ),
          number('Paid and not credited', 'short', 'max(prelude_payments_uncredited)'),
          number('Suspicious, a day', 'short', 'sum(increase(prelude_payments_suspicious_total[1d]))'),
          number('Transfers that wait', 'short', 'max(prelude_transfers_waiting)'),
          number('Oldest transfer that waits', 's', 'max(prelude_transfers_waiting_age_seconds)'),
        ],
      },
      { title: 'Providers', panels: calls('payments') },
      internal('payments'),
      consumed('payments'),
    ],
  },
  {
    part: 'storage',
    rows: [
      {
        title: 'Audio',
        panels: [
          lines('Uploaded', 'Bps', `sum by (kind) (rate(prelude_upload_bytes_total${RATE}))`, '{{kind}}'),
          number('Songs to be analysed', 'short', 'max(prelude_analyses_waiting)'),
          lines(
            'Room for uploads',
            'percentunit',
            'min(prelude_disk_free_bytes / prelude_disk_size_bytes)',
            'free',
          ),
        ],
      },
      { title: 'Object store', panels: calls('storage') },
      internal('storage'),
      consumed('storage'),
    ],
  },
  {
    part: 'notifier',
    rows: [
      {
        title: 'Mails',
        panels: [
          lines(
            'Tries, an hour',
            'short',
            'sum by (kind, outcome) (increase(prelude_mails_total[1h]))',
            '{{kind}} {{outcome}}',
          ),
          number('Not sent yet', 'short', 'max(prelude_mail_queue_depth)'),
          number('Oldest not sent yet', 's', 'max(prelude_mail_queue_age_seconds)'),
          number('Given up', 'short', 'max(prelude_mails_failed)'),
        ],
      },
      { title: 'Mail server', panels: calls('notifier') },
      consumed('notifier'),
    ],
  },
]

const aDay = (series: string): string => `sum(increase(${series}[1d]))`
const share = (part: string, whole: string): string => `${aDay(part)} / (${aDay(whole)} > 0) or vector(0)`
const fulfilment = (quantile: number): string =>
  `histogram_quantile(${quantile}, sum by (le) (increase(prelude_song_fulfilment_duration_seconds_bucket[7d])))`

const BUSINESS: Dashboard = {
  uid: 'prelude-business',
  title: 'Prelude: business',
  rows: [
    {
      title: 'Today',
      panels: [
        number('Sign-ins, a day', 'short', aDay('prelude_sign_ins_total{outcome="ok"}')),
        number('New people, a day', 'short', aDay('prelude_events_emitted_total{type="UserRegistered"}')),
        number('Requests, a day', 'short', aDay('prelude_events_emitted_total{type="SongRequested"}')),
        number('Fulfilled, a day', 'short', aDay('prelude_events_emitted_total{type="SongFulfilled"}')),
        number('Payments, a day', 'short', aDay('prelude_payments_succeeded_total')),
        number('Credits bought, a day', 'credits', aDay('prelude_payments_credits_total{flow="paid"}')),
      ],
    },
    {
      title: 'Conversion',
      panels: [
        number(
          'Requests that were charged at once',
          'percentunit',
          share(
            'prelude_song_charges_total{outcome="charged"}',
            'prelude_events_emitted_total{type="SongRequested"}',
          ),
        ),
        number(
          'Requests declined that were charged later',
          'percentunit',
          share(
            'prelude_song_charges_total{outcome="charged_later"}',
            'prelude_song_charges_total{outcome="declined"}',
          ),
        ),
        number(
          'Payments started that were paid',
          'percentunit',
          share('prelude_payments_succeeded_total', 'prelude_payments_started_total'),
        ),
        lines(
          'Requests, an hour',
          'short',
          'sum by (outcome) (increase(prelude_song_charges_total[1h]))',
          '{{outcome}}',
        ),
      ],
    },
    {
      title: 'Fulfilment',
      panels: [
        {
          title: 'Time to fulfil, of the last 7 days',
          unit: 's',
          queries: [
            { expr: fulfilment(0.5), legend: 'half within' },
            { expr: fulfilment(0.9), legend: 'nine of ten within' },
          ],
        },
        lines(
          'Requests that wait, by charge',
          'short',
          'max by (charge) (prelude_songs_pending)',
          '{{charge}}',
        ),
        lines(
          'Oldest that waits, by charge',
          's',
          'max by (charge) (prelude_songs_pending_age_seconds)',
          '{{charge}}',
        ),
      ],
    },
    {
      title: 'Credits',
      panels: [
        lines(
          'In, a day',
          'credits',
          'sum by (reason) (increase(prelude_credits_added_total[1d]))',
          '{{reason}}',
        ),
        lines(
          'Out, a day',
          'credits',
          'sum by (reason) (increase(prelude_credits_taken_total[1d]))',
          '{{reason}}',
        ),
        lines(
          'Paid and taken back, a day',
          'credits',
          'sum by (flow) (increase(prelude_payments_credits_total[1d]))',
          '{{flow}}',
        ),
        number('Owed by people', 'credits', 'max(prelude_credits_owed)'),
        number('Songs that wait for credits', 'short', 'max(prelude_songs_waiting_for_credits)'),
      ],
    },
  ],
}

export const DASHBOARDS: readonly Dashboard[] = [BUSINESS, ...PARTS.map(ofPart)]
