/** What the dashboards show. Rendered for Grafana by `render.ts`; every query is run against a real product by a test. */

import { OVERVIEW } from './overview.ts'
import {
  calls,
  events,
  type Dashboard,
  growth,
  health,
  lines,
  number,
  outbox,
  pace,
  requests,
} from './panels.ts'

interface PartDashboard {
  readonly part: string
  readonly rows: Dashboard['rows']
}

/** What a part has of its own comes first, what all parts have last. */
const ofPart = ({ part, rows }: PartDashboard): Dashboard => ({
  uid: `prelude-${part}`,
  title: `Prelude: ${part}`,
  rows: [
    ...rows,
    // the notifier tells nobody anything
    ...(part === 'notifier' ? [] : [{ title: 'Outbox', panels: outbox(part) }]),
    { title: 'Health', panels: health(part) },
  ],
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
        panels: requests('prelude_public_request_duration_seconds', 'part="gateway"', {
          alert: 'PreludePublicErrors',
          above: 0.05,
        }),
      },
      {
        title: 'People',
        panels: [
          pace('Refusals by code', 'reqps', 'prelude_public_problems_total', 'code'),
          lines('Live streams', 'short', 'sum by (instance) (prelude_live_streams)', '{{instance}}'),
          pace('Live messages', 'eps', 'prelude_live_messages_total', 'kind'),
          lines('Live updates not yet sent', 'short', 'max(prelude_live_feed_lag)', 'events', {
            alert: 'PreludeLiveFeedBehind',
            above: 1000,
          }),
          growth('Sign-ins, an hour', 'short', 'prelude_sign_ins_total', 'outcome'),
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
          growth('Credits in, an hour', 'credits', 'prelude_credits_added_total', 'reason'),
          growth('Credits out, an hour', 'credits', 'prelude_credits_taken_total', 'reason'),
          growth('Answers to requests, an hour', 'short', 'prelude_song_charges_total', 'outcome'),
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
          growth('Payments started, an hour', 'short', 'prelude_payments_started_total', 'method'),
          growth('Payments paid, an hour', 'short', 'prelude_payments_succeeded_total', 'method'),
          growth('Webhooks, an hour', 'short', 'prelude_webhooks_total', 'provider, outcome'),
          number('Paid and not credited', 'short', 'max(prelude_payments_uncredited)', {
            alert: 'PreludePaymentsUncredited',
            above: 0,
          }),
          number('Suspicious, a day', 'short', 'sum(increase(prelude_payments_suspicious_total[1d]))', {
            alert: 'PreludePaymentSuspicious',
            above: 0,
          }),
          number('Transfers that wait', 'short', 'max(prelude_transfers_waiting)'),
          number('Oldest transfer that waits', 's', 'max(prelude_transfers_waiting_age_seconds)', {
            alert: 'PreludeTransfersWait',
            above: 3600,
          }),
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
          pace('Uploaded', 'Bps', 'prelude_upload_bytes_total', 'kind'),
          number('Songs to be analysed', 'short', 'max(prelude_analyses_waiting)', {
            alert: 'PreludeAnalysesWait',
            above: 20,
          }),
          lines(
            'Room for uploads',
            'percentunit',
            'min(prelude_disk_free_bytes / prelude_disk_size_bytes)',
            'free',
            { alert: 'PreludeDiskLow', below: 0.1 },
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
          growth('Mails tried, an hour', 'short', 'prelude_mails_total', 'kind, outcome'),
          number('Mails not sent yet', 'short', 'max(prelude_mail_queue_depth)'),
          number('Oldest not sent yet', 's', 'max(prelude_mail_queue_age_seconds)', {
            alert: 'PreludeMailQueueOld',
            above: 900,
          }),
          number('Mails given up', 'short', 'max(prelude_mails_failed)', {
            alert: 'PreludeMailsFailed',
            above: 0,
          }),
        ],
      },
      { title: 'Mail server', panels: calls('notifier') },
      consumed('notifier'),
    ],
  },
]

const aDay = (series: string): string => `sum(increase(${series}[1d]))`
/** What counters of several parts grew by is estimated for each: a little more than all is all. */
const share = (part: string, whole: string): string =>
  `clamp_max(${aDay(part)} / (${aDay(whole)} > 0), 1) or vector(0)`
const fulfilment = (quantile: number): string =>
  `histogram_quantile(${quantile}, sum by (le) (increase(prelude_song_fulfilment_duration_seconds_bucket[7d])))`

const BUSINESS: Dashboard = {
  uid: 'prelude-business',
  title: 'Prelude: business',
  rows: [
    {
      title: 'The last 24 hours',
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
          'Charged at once, of all requests',
          'percentunit',
          share(
            'prelude_song_charges_total{outcome="charged"}',
            'prelude_events_emitted_total{type="SongRequested"}',
          ),
        ),
        number(
          'Charged later, of those declined',
          'percentunit',
          share(
            'prelude_song_charges_total{outcome="charged_later"}',
            'prelude_song_charges_total{outcome="declined"}',
          ),
        ),
        number(
          'Paid, of payments started',
          'percentunit',
          share('prelude_payments_succeeded_total', 'prelude_payments_started_total'),
        ),
      ],
    },
    {
      title: 'Fulfilment',
      panels: [
        growth('Answers to requests, an hour', 'short', 'prelude_song_charges_total', 'outcome'),
        {
          title: 'Time to fulfil, within 7 days',
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
        growth('Credits in, a day', 'credits', 'prelude_credits_added_total', 'reason', '1d'),
        growth('Credits out, a day', 'credits', 'prelude_credits_taken_total', 'reason', '1d'),
        growth(
          'Credits paid and taken back, a day',
          'credits',
          'prelude_payments_credits_total',
          'flow',
          '1d',
        ),
        number('Credits owed by people', 'credits', 'max(prelude_credits_owed)'),
        number('Songs that wait for credits', 'short', 'max(prelude_songs_waiting_for_credits)'),
      ],
    },
  ],
}

export const DASHBOARDS: readonly Dashboard[] = [OVERVIEW, BUSINESS, ...PARTS.map(ofPart)]
