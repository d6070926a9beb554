/** The dashboards. `render.ts` writes them for Grafana; a test runs every query against a running product. */

import { OVERVIEW } from './overview.ts'
import {
  calls,
  events,
  type Dashboard,
  forwarder,
  growth,
  health,
  lines,
  number,
  pace,
  requests,
} from './panels.ts'

interface ServiceDashboard {
  readonly service: string
  readonly rows: Dashboard['rows']
}

/** A service's own rows, then those that all services share. */
const ofService = ({ service, rows }: ServiceDashboard): Dashboard => ({
  uid: `prelude-${service}`,
  title: `Prelude: ${service}`,
  rows: [
    ...rows,
    { title: 'Forwarder', panels: forwarder(service) },
    { title: 'Health', panels: health(service) },
  ],
})

/** Requests of other services, without health checks and scrapes. */
const internal = (service: string) => ({
  title: 'Requests',
  panels: requests(
    'prelude_http_request_duration_seconds',
    `service="${service}",route!~"/(healthz|readyz|metrics)"`,
  ),
})
const consumed = (service: string) => ({ title: 'Events', panels: events(service) })

const SERVICES: readonly ServiceDashboard[] = [
  {
    service: 'gateway',
    rows: [
      {
        title: 'Public endpoint',
        panels: requests('prelude_public_request_duration_seconds', 'service="gateway"', {
          alert: 'PreludePublicErrors',
          above: 0.05,
        }),
      },
      {
        title: 'People',
        panels: [
          pace('Problems by code', 'reqps', 'prelude_public_problems_total', 'code'),
          lines('Live streams', 'short', 'sum by (instance) (prelude_live_streams)', '{{instance}}'),
          pace('Live messages', 'eps', 'prelude_live_messages_total', 'kind'),
          lines('Live feed lag', 'short', 'max(prelude_live_feed_lag)', 'events', {
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
    service: 'songs',
    rows: [
      {
        title: 'Songs',
        panels: [
          lines(
            'Songs not ready, by charge',
            'short',
            'max by (charge) (prelude_songs_pending)',
            '{{charge}}',
          ),
          lines(
            'Oldest song not ready, by charge',
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
    service: 'credits',
    rows: [
      {
        title: 'Ledger',
        panels: [
          growth('Credits in, an hour', 'credits', 'prelude_credits_added_total', 'reason'),
          growth('Credits out, an hour', 'credits', 'prelude_credits_taken_total', 'reason'),
          growth('Charge outcomes, an hour', 'short', 'prelude_song_charges_total', 'outcome'),
          number('Songs waiting for credits', 'short', 'max(prelude_songs_waiting_for_credits)'),
          number('Credits owed', 'credits', 'max(prelude_credits_owed)'),
        ],
      },
      internal('credits'),
      consumed('credits'),
    ],
  },
  {
    service: 'payments',
    rows: [
      {
        title: 'Money',
        panels: [
          growth('Payments started, an hour', 'short', 'prelude_payments_started_total', 'method'),
          growth('Payments succeeded, an hour', 'short', 'prelude_payments_succeeded_total', 'method'),
          growth('Webhooks, an hour', 'short', 'prelude_webhooks_total', 'provider, outcome'),
          number('Payments not credited', 'short', 'max(prelude_payments_uncredited)', {
            alert: 'PreludePaymentsUncredited',
            above: 0,
          }),
          number('Suspicious, a day', 'short', 'sum(increase(prelude_payments_suspicious_total[1d]))', {
            alert: 'PreludePaymentSuspicious',
            above: 0,
          }),
          number('Transfers waiting', 'short', 'max(prelude_transfers_waiting)'),
          number('Oldest waiting transfer', 's', 'max(prelude_transfers_waiting_age_seconds)', {
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
    service: 'storage',
    rows: [
      {
        title: 'Audio',
        panels: [
          pace('Uploaded', 'Bps', 'prelude_upload_bytes_total', 'kind'),
          number('Songs waiting for analysis', 'short', 'max(prelude_analyses_waiting)', {
            alert: 'PreludeAnalysesWait',
            above: 20,
          }),
          lines(
            'Free space for uploads',
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
    service: 'notifier',
    rows: [
      {
        title: 'Mails',
        panels: [
          growth('Mail attempts, an hour', 'short', 'prelude_mails_total', 'kind, outcome'),
          number('Mails in the queue', 'short', 'max(prelude_mail_queue_depth)'),
          number('Oldest mail in the queue', 's', 'max(prelude_mail_queue_age_seconds)', {
            alert: 'PreludeMailQueueOld',
            above: 900,
          }),
          number('Failed mails', 'short', 'max(prelude_mails_failed)', {
            alert: 'PreludeMailsFailed',
            above: 0,
          }),
        ],
      },
      {
        title: 'Pushes',
        panels: [growth('Push attempts, an hour', 'short', 'prelude_pushes_total', 'outcome')],
      },
      { title: 'Mail server', panels: calls('notifier') },
      consumed('notifier'),
    ],
  },
]

const aDay = (series: string): string => `sum(increase(${series}[1d]))`
/** Clamped, since `increase` extrapolates each counter by itself and the share can exceed 1 slightly. */
const share = (service: string, whole: string): string =>
  `clamp_max(${aDay(service)} / (${aDay(whole)} > 0), 1) or vector(0)`
const fulfilment = (quantile: number): string =>
  `histogram_quantile(${quantile}, sum by (le) (increase(prelude_song_fulfilment_duration_seconds_bucket[7d])))`

const promiseUsed = (quantile: number): string =>
  `histogram_quantile(${quantile}, sum by (le) (increase(prelude_song_promise_used_ratio_bucket[7d])))`
const FULFILLED = 'prelude_events_emitted_total{type="SongFulfilled"}'

const BUSINESS: Dashboard = {
  uid: 'prelude-business',
  title: 'Prelude: business',
  rows: [
    {
      title: 'The last 24 hours',
      panels: [
        number('Sign-ins, a day', 'short', aDay('prelude_sign_ins_total{outcome="ok"}')),
        number('New users, a day', 'short', aDay('prelude_events_emitted_total{type="UserRegistered"}')),
        number('Songs requested, a day', 'short', aDay('prelude_events_emitted_total{type="SongRequested"}')),
        number('Songs fulfilled, a day', 'short', aDay(FULFILLED)),
        number('Payments, a day', 'short', aDay('prelude_payments_succeeded_total')),
        number('Credits bought, a day', 'credits', aDay('prelude_payments_credits_total{flow="paid"}')),
      ],
    },
    {
      title: 'Conversion',
      panels: [
        number(
          'Charged immediately, share of requests',
          'percentunit',
          share(
            'prelude_song_charges_total{outcome="charged"}',
            'prelude_events_emitted_total{type="SongRequested"}',
          ),
        ),
        number(
          'Charged later, share of declined',
          'percentunit',
          share(
            'prelude_song_charges_total{outcome="charged_later"}',
            'prelude_song_charges_total{outcome="declined"}',
          ),
        ),
        number(
          'Succeeded, share of payments started',
          'percentunit',
          share('prelude_payments_succeeded_total', 'prelude_payments_started_total'),
        ),
      ],
    },
    {
      title: 'Fulfilment',
      panels: [
        growth('Charge outcomes, an hour', 'short', 'prelude_song_charges_total', 'outcome'),
        {
          title: 'Time to fulfil, within 7 days',
          unit: 's',
          queries: [
            { expr: fulfilment(0.5), legend: 'p50' },
            { expr: fulfilment(0.9), legend: 'p90' },
          ],
        },
        {
          title: 'Share of the promised time used, within 7 days',
          unit: 'percentunit',
          queries: [
            { expr: promiseUsed(0.5), legend: 'p50' },
            { expr: promiseUsed(0.9), legend: 'p90' },
          ],
        },
        number(
          'Late, share of songs fulfilled',
          'percentunit',
          share('prelude_events_emitted_total{type="SongLate"}', FULFILLED),
        ),
        number(
          'Changes asked for, share of songs fulfilled',
          'percentunit',
          share('prelude_events_emitted_total{type="ChangesAsked"}', FULFILLED),
        ),
        number(
          'Cancelled or declined, share of requests',
          'percentunit',
          share(
            'prelude_events_emitted_total{type="SongClosed"}',
            'prelude_events_emitted_total{type="SongRequested"}',
          ),
        ),
        lines('Pending songs, by charge', 'short', 'max by (charge) (prelude_songs_pending)', '{{charge}}'),
        lines(
          'Oldest pending song, by charge',
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
        growth('Credits paid and reversed, a day', 'credits', 'prelude_payments_credits_total', 'flow', '1d'),
        number('Credits owed', 'credits', 'max(prelude_credits_owed)'),
        number('Songs waiting for credits', 'short', 'max(prelude_songs_waiting_for_credits)'),
      ],
    },
  ],
}

export const DASHBOARDS: readonly Dashboard[] = [OVERVIEW, BUSINESS, ...SERVICES.map(ofService)]
