import { type Dashboard, lines, number, pace, type Panel, RATE, states, type Unit } from './panels.ts'

/** What somebody who was woken looks at first: what is wrong now, in which part, and since when. */

const PARTS = 6
const UP = 'up{part!=""}'

/** Well at 0. */
const none = (title: string, expr: string, alert?: string): Panel =>
  number(title, 'short', expr, { ...(alert !== undefined && { alert }), above: 0 })
/** Each that matches, and 0 where there is none. */
const count = (expr: string): string => `count(${expr}) or vector(0)`

const DOOR = 'prelude_public_request_duration_seconds'
/** Uploads and audio take as long as they take: as the alert counts. */
const QUICK = 'route!~".*(fulfil|uploads|versions|download).*"'

const NOW: readonly Panel[] = [
  none('Alerts that fire', count('ALERTS{alertstate="firing"}')),
  none('Parts down', `${PARTS} - count(max by (part) (${UP}) == 1) or vector(${PARTS})`, 'PreludePartDown'),
  none('Instances down', count(`${UP} == 0 and time() - timestamp(${UP}) < 60`), 'PreludeInstanceDown'),
  none(
    'Dependencies down',
    count('min by (part, dependency) (prelude_dependency_up) == 0'),
    'PreludeDependencyDown',
  ),
  number(
    'Answered 5xx',
    'percentunit',
    `sum(rate(${DOOR}_count{status=~"5.."}[5m])) / (sum(rate(${DOOR}_count[5m])) > 0) or vector(0)`,
    { alert: 'PreludePublicErrors', above: 0.05 },
  ),
  number(
    'One in a hundred waits for',
    's',
    `histogram_quantile(0.99, sum by (le) (rate(${DOOR}_bucket{${QUICK}}[5m]))) >= 0 or vector(0)`,
    { alert: 'PreludePublicSlow', above: 1 },
  ),
  number('Oldest event not sent', 's', 'max(prelude_outbox_age_seconds)', {
    alert: 'PreludeOutboxOld',
    above: 60,
  }),
  number('Events not yet handled', 'short', 'max(prelude_consumer_lag)', {
    alert: 'PreludeConsumerLagging',
    above: 1000,
  }),
  none('Parked events', 'sum(max by (part, topic) (prelude_dead_letters))', 'PreludeDeadLetters'),
  number('Oldest song undecided', 's', 'max(prelude_songs_pending_age_seconds{charge="deciding"})', {
    alert: 'PreludeChargeUndecided',
    above: 300,
  }),
  none('Paid and not credited', 'max(prelude_payments_uncredited)', 'PreludePaymentsUncredited'),
  number('Oldest mail not sent', 's', 'max(prelude_mail_queue_age_seconds)', {
    alert: 'PreludeMailQueueOld',
    above: 900,
  }),
]

const FIRING = 'max by (alertname, part) (ALERTS{alertstate="firing"})'
const NONE_FIRES =
  'label_replace(vector(0), "alertname", "none", "", "") unless on () ALERTS{alertstate="firing"}'

/** One line a part. */
const byPart = (title: string, unit: Unit, expr: string): Panel => lines(title, unit, expr, '{{part}}')

export const OVERVIEW: Dashboard = {
  uid: 'prelude-overview',
  title: 'Prelude: overview',
  rows: [
    { title: 'Now', panels: NOW },
    {
      title: 'Since when',
      panels: [
        states('Which alerts fire', 'ill', `${FIRING} or (${NONE_FIRES})`, '{{alertname}} {{part}}'),
        states('Parts that answer', 'well', `max by (part) (${UP})`, '{{part}}'),
      ],
    },
    {
      title: 'The public door',
      panels: [
        lines('Requests by status', 'reqps', `sum by (status) (rate(${DOOR}_count${RATE}))`, '{{status}}'),
        pace('Refusals by code', 'reqps', 'prelude_public_problems_total', 'code'),
      ],
    },
    {
      title: 'Parts',
      panels: [
        byPart(
          'Duration of requests between parts, p99',
          's',
          `histogram_quantile(0.99, sum by (part, le) (rate(prelude_http_request_duration_seconds_bucket{route!~"/(healthz|readyz|metrics)"}${RATE})))`,
        ),
        byPart('Events not yet handled, by part', 'short', 'max by (part) (prelude_consumer_lag)'),
        byPart('Processor', 'percentunit', `sum by (part) (rate(process_cpu_seconds_total${RATE}))`),
        byPart('Memory of the largest instance', 'bytes', 'max by (part) (process_resident_memory_bytes)'),
      ],
    },
  ],
}
