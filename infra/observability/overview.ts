import { type Dashboard, lines, number, pace, type Panel, RATE, states, type Unit } from './panels.ts'

/** The dashboard for incidents: what is wrong now, in which service, and since when. */

const SERVICES = 6
const UP = 'up{service!=""}'

/** Green at 0, red above. */
const none = (title: string, expr: string, alert?: string): Panel =>
  number(title, 'short', expr, { ...(alert !== undefined && { alert }), above: 0 })
/** Number of matching series; 0 when none matches. */
const count = (expr: string): string => `count(${expr}) or vector(0)`

const PUBLIC = 'prelude_public_request_duration_seconds'
/** Without uploads and downloads, as in the alert. */
const QUICK = 'route!~".*(fulfil|uploads|versions|download).*"'

/** But the one that always fires. */
const FIRING_SERIES = 'ALERTS{alertstate="firing", severity!="none"}'

const NOW: readonly Panel[] = [
  none('Firing alerts', count(FIRING_SERIES)),
  none(
    'Services down',
    `${SERVICES} - count(max by (service) (${UP}) == 1) or vector(${SERVICES})`,
    'PreludeServiceDown',
  ),
  none('Instances down', count(`${UP} == 0 and time() - timestamp(${UP}) < 60`), 'PreludeInstanceDown'),
  none(
    'Dependencies down',
    count('min by (service, dependency) (prelude_dependency_up) == 0'),
    'PreludeDependencyDown',
  ),
  number(
    'Share of 5xx',
    'percentunit',
    `sum(rate(${PUBLIC}_count{status=~"5.."}[5m])) / (sum(rate(${PUBLIC}_count[5m])) > 0) or vector(0)`,
    { alert: 'PreludePublicErrors', above: 0.05 },
  ),
  number(
    'Public requests, p99',
    's',
    `histogram_quantile(0.99, sum by (le) (rate(${PUBLIC}_bucket{${QUICK}}[5m]))) >= 0 or vector(0)`,
    { alert: 'PreludePublicSlow', above: 1 },
  ),
  number('Oldest event not forwarded', 's', 'max(prelude_event_backlog_age_seconds)', {
    alert: 'PreludeEventsNotForwarded',
    above: 60,
  }),
  number('Consumer lag', 'short', 'max(prelude_consumer_lag)', {
    alert: 'PreludeConsumerLagging',
    above: 1000,
  }),
  none('Dead letters', 'sum(max by (service, topic) (prelude_dead_letters))', 'PreludeDeadLetters'),
  number('Oldest undecided charge', 's', 'max(prelude_songs_pending_age_seconds{charge="deciding"})', {
    alert: 'PreludeChargeUndecided',
    above: 300,
  }),
  none('Payments not credited', 'max(prelude_payments_uncredited)', 'PreludePaymentsUncredited'),
  number('Oldest mail in the queue', 's', 'max(prelude_mail_queue_age_seconds)', {
    alert: 'PreludeMailQueueOld',
    above: 900,
  }),
]

const FIRING = `max by (alertname, service) (${FIRING_SERIES})`
const NONE_FIRES = `label_replace(vector(0), "alertname", "none", "", "") unless on () ${FIRING_SERIES}`

/** One line per service. */
const byService = (title: string, unit: Unit, expr: string): Panel => lines(title, unit, expr, '{{service}}')

export const OVERVIEW: Dashboard = {
  uid: 'prelude-overview',
  title: 'Prelude: overview',
  rows: [
    { title: 'Now', panels: NOW },
    {
      title: 'History',
      panels: [
        states(
          'Firing alerts, by service',
          'ill',
          `${FIRING} or (${NONE_FIRES})`,
          '{{alertname}} {{service}}',
        ),
        states('Services up', 'well', `max by (service) (${UP})`, '{{service}}'),
      ],
    },
    {
      title: 'Public endpoint',
      panels: [
        lines('Requests by status', 'reqps', `sum by (status) (rate(${PUBLIC}_count${RATE}))`, '{{status}}'),
        pace('Problems by code', 'reqps', 'prelude_public_problems_total', 'code'),
      ],
    },
    {
      title: 'Services',
      panels: [
        byService(
          'Internal requests, p99',
          's',
          `histogram_quantile(0.99, sum by (service, le) (rate(prelude_http_request_duration_seconds_bucket{route!~"/(healthz|readyz|metrics)"}${RATE})))`,
        ),
        byService('Consumer lag by service', 'short', 'max by (service) (prelude_consumer_lag)'),
        byService('CPU', 'percentunit', `sum by (service) (rate(process_cpu_seconds_total${RATE}))`),
        byService(
          'Memory of the largest instance',
          'bytes',
          'max by (service) (process_resident_memory_bytes)',
        ),
      ],
    },
  ],
}
