import { readFileSync } from 'node:fs'

/** Panels of Grafana's dashboards, without the fields whose value is Grafana's default. */

/** By legend, PromQL: each is a series, or with labels in `{{…}}` several. */
type Queries = Readonly<Record<string, string>>

interface Options {
  /** Of the 24 columns, and of rows. */
  readonly w?: number
  readonly h?: number
  /** Red from this value on. */
  readonly red?: number
  /** Whose threshold that is. */
  readonly alert?: string
  /** The axis ends here unless values are higher. */
  readonly softMax?: number
  readonly colors?: readonly (keyof typeof COLORED)[]
  /** The legend is a table at the side. */
  readonly table?: boolean
}

/** A panel before it has a place on its dashboard. */
export interface Unplaced {
  readonly type: string
  readonly title: string
  readonly w: number
  readonly h: number
  readonly [field: string]: unknown
}

/** `red` where the panel counts what an alert evaluates one by one. */
export const ANY = 0.001

/** Legends by the colour that they have. */
const COLORED = {
  green: '/^2\\d\\d$|^p50$/',
  blue: '/^3\\d\\d$/',
  yellow: '/^p90$/',
  orange: '/^4\\d\\d$|^p99$/',
  red: '/^5\\d\\d$|(^| )(failed|parked)$|^5xx$/',
}

const DATASOURCE = { type: 'prometheus', uid: 'prometheus' }

/** What metrics mean: ours as docs/operations/metrics.md says it. */
const MEANINGS = new Map([
  ['ALERTS', 'pending and firing alerts of Prometheus'],
  ['up', '1 for each instance that Prometheus can scrape'],
  ['process_cpu_seconds_total', 'CPU time of the process'],
  ['process_resident_memory_bytes', 'resident memory of the process'],
  ['nodejs_eventloop_lag_p99_seconds', 'p99 lag of the event loop, including the sampling interval of 0.1 s'],
  ...readFileSync(new URL('../../../docs/operations/metrics.md', import.meta.url), 'utf8')
    .matchAll(/^\| `(\w+)` .*\| (.+?) *\|$/gm)
    .map(([, metric = '', meaning = '']): [string, string] => [metric, meaning]),
])

/** The metrics of the queries and their meanings; whose threshold the panel has. */
function descriptionOf(queries: Queries, alert: string | undefined): string {
  const named = Object.values(queries).flatMap((query) => query.match(/\b[A-Za-z]\w*/g) ?? [])
  const metrics = new Set(named.map((name) => name.replace(/_(bucket|count|sum)$/, '')))
  const parts = [...metrics].flatMap((metric) => {
    const meaning = MEANINGS.get(metric)
    return meaning === undefined ? [] : [`\`${metric}\`: ${meaning}`]
  })
  if (alert !== undefined) parts.push(`The threshold is that of \`${alert}\` (docs/operations/alerts.md).`)
  return parts.join('\n\n')
}

const thresholds = (base: string, red: number | undefined) => ({
  mode: 'absolute',
  steps: [{ color: base, value: null }, ...(red === undefined ? [] : [{ color: 'red', value: red }])],
})

const targetsOf = (queries: Queries, more?: { readonly instant: true }) =>
  Object.entries(queries).map(([legendFormat, expr], i) => ({
    refId: 'ABC'.charAt(i),
    expr,
    legendFormat,
    ...more,
  }))

/** The title of the panels that follow. */
export const row = (title: string): Unplaced => ({
  ...{ type: 'row', title, w: 24, h: 1 },
  ...{ collapsed: false, panels: [] },
})

/** One number. */
export const stat = (
  title: string,
  unit: string,
  query: string,
  { red, alert, w = 4, h = 4 }: Options = {},
): Unplaced => ({
  ...{ type: 'stat', title, w, h },
  description: descriptionOf({ [title]: query }, alert),
  datasource: DATASOURCE,
  fieldConfig: {
    defaults: {
      unit,
      ...(['short', 'suffix:credits'].includes(unit) && { decimals: 0 }),
      noValue: 'unknown',
      thresholds: thresholds(red === undefined ? 'text' : 'green', red),
    },
    overrides: [],
  },
  options: { graphMode: 'none', textMode: 'value' },
  targets: targetsOf({ [title]: query }, { instant: true }),
})

/** Curves. */
export const series = (
  title: string,
  unit: string,
  queries: Queries,
  { red, alert, softMax = red, colors = [], table = false, w = 8, h = 7 }: Options = {},
): Unplaced => ({
  ...{ type: 'timeseries', title, w, h },
  description: descriptionOf(queries, alert),
  datasource: DATASOURCE,
  fieldConfig: {
    defaults: {
      unit,
      min: 0,
      ...(red !== undefined && { thresholds: thresholds('green', red) }),
      custom: {
        fillOpacity: 8,
        ...(softMax !== undefined && { axisSoftMax: softMax }),
        ...(red !== undefined && { thresholdsStyle: { mode: 'dashed' } }),
      },
    },
    overrides: colors.map((color) => ({
      matcher: { id: 'byRegexp', options: COLORED[color] },
      properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: color } }],
    })),
  },
  options: {
    tooltip: { mode: 'multi', sort: 'desc' },
    ...(table && {
      legend: { showLegend: true, displayMode: 'table', placement: 'right', calcs: ['lastNotNull', 'max'] },
    }),
  },
  targets: targetsOf(queries),
})

/** Whether things are well, over time. */
export const states = (
  title: string,
  queries: Queries,
  { isBad = false, w = 12 }: { readonly isBad?: boolean; readonly w?: number } = {},
): Unplaced => {
  const [zero, one] = isBad
    ? [
        { text: 'no alert', color: 'green' },
        { text: 'firing', color: 'red' },
      ]
    : [
        { text: 'down', color: 'red' },
        { text: 'up', color: 'green' },
      ]
  return {
    ...{ type: 'state-timeline', title, w, h: 7 },
    description: descriptionOf(queries, undefined),
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: { unit: 'short', mappings: [{ type: 'value', options: { 0: zero, 1: one } }] },
      overrides: [],
    },
    options: { legend: { showLegend: false, displayMode: 'list', placement: 'bottom', calcs: [] } },
    targets: targetsOf(queries),
  }
}

/** How much counters grew within a day, over all instances. */
export const sumOf = (counters: string): string => `sum(increase(${counters}[1d]))`

/** How many events of a type were emitted within a day. */
export const emitted = (type: string): string => sumOf(`prelude_events_emitted_total{type="${type}"}`)

/** A share of a day, which late or repeated counts may raise above 1; 0 of nothing. */
export const share = (title: string, part: string, whole: string): Unplaced =>
  stat(title, 'percentunit', `clamp_max(${part} / (${whole} > 0), 1) or vector(0)`, { w: 8 })

/** Quantiles of the rates of buckets, `p50` and so on. */
export const quantiles = (buckets: string, shares: readonly number[] = [0.5, 0.9, 0.99]): Queries =>
  Object.fromEntries(
    shares.map((share) => [`p${share * 100}`, `histogram_quantile(${share}, sum by (le) (${buckets}))`]),
  )

/** How long requests take: of all together, and of the slowest routes. */
export function requestDurations(metric: string, labels: string): readonly Unplaced[] {
  const buckets = `rate(${metric}_bucket{${labels}}[$__rate_interval])`
  return [
    series('Duration of requests', 's', quantiles(buckets), {
      colors: ['green', 'yellow', 'orange'],
    }),
    series(
      'Slowest routes, p99',
      's',
      {
        '{{method}} {{route}}': `topk(8, histogram_quantile(0.99, sum by (le, method, route) (${buckets})) >= 0)`,
      },
      { w: 24, table: true },
    ),
  ]
}
