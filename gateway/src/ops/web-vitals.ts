import {
  MAX_WEB_VITALS_BYTES,
  WEB_VITALS,
  type WebVital,
  WebVitalsReport,
  type WebVitalSummary,
} from '@prelude/contracts'
import { histogram } from '@prelude/platform'
import { publicRoute, type PublicRoute } from '../api/public-route.ts'

/** Upper bounds of the buckets, in the units of a report: among them those of "good" and "needs improvement". */
const BOUNDS: Readonly<Record<WebVital, readonly number[]>> = {
  lcpMs: [500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 6_000, 10_000],
  inpMs: [50, 100, 150, 200, 300, 500, 1_000, 2_000],
  cls: [0.01, 0.05, 0.1, 0.15, 0.25, 0.5, 1],
}

/** Reports in each bucket, and beyond the last bound. */
export type WebVitalCounts = Readonly<Record<WebVital, readonly number[]>>

export type WebVitals = ReturnType<typeof createWebVitals>

const inSeconds = (bounds: readonly number[]): number[] => bounds.map((ms) => ms / 1_000)

/** Counts what browsers measure in histograms: nothing else of a report is kept. */
export function createWebVitals() {
  const [lcp, inp, cls] = [
    histogram(
      'prelude_browser_lcp_seconds',
      'Largest Contentful Paint in browsers, by the route of the page.',
      inSeconds(BOUNDS.lcpMs),
      ['page'],
    ),
    histogram(
      'prelude_browser_inp_seconds',
      'Interaction to Next Paint in browsers, by the route of the page.',
      inSeconds(BOUNDS.inpMs),
      ['page'],
    ),
    histogram(
      'prelude_browser_cls',
      'Cumulative Layout Shift in browsers, by the route of the page.',
      [...BOUNDS.cls],
      ['page'],
    ),
  ]
  const empty = (name: WebVital): number[] => [...BOUNDS[name], Infinity].map(() => 0)
  const counts = { lcpMs: empty('lcpMs'), inpMs: empty('inpMs'), cls: empty('cls') }
  const count = (name: WebVital, value: number): void => {
    const found = BOUNDS[name].findIndex((bound) => value <= bound)
    const bucket = found < 0 ? BOUNDS[name].length : found
    counts[name][bucket] = (counts[name][bucket] ?? 0) + 1
  }
  return {
    metrics: [lcp, inp, cls],
    /** Of this instance since it started. */
    counts: counts as WebVitalCounts,
    record: ({ page, ...report }: WebVitalsReport): void => {
      for (const name of WEB_VITALS) if (report[name] !== undefined) count(name, report[name])
      if (report.lcpMs !== undefined) lcp.observe({ page }, report.lcpMs / 1_000)
      if (report.inpMs !== undefined) inp.observe({ page }, report.inpMs / 1_000)
      if (report.cls !== undefined) cls.observe({ page }, report.cls)
    },
  }
}

/** Over all instances. */
export const summarize = (instances: readonly WebVitalCounts[]): WebVitalSummary[] =>
  WEB_VITALS.map((name) => {
    const buckets = [...BOUNDS[name], Infinity].map((_bound, i) =>
      instances.reduce((sum, counts) => sum + (counts[name][i] ?? 0), 0),
    )
    const reports = buckets.reduce((sum, one) => sum + one, 0)
    return { name, reports, p75: percentile75(BOUNDS[name], buckets, reports) }
  })

/** Linear within its bucket; beyond the last bound that bound, as Prometheus' histogram_quantile. */
function percentile75(bounds: readonly number[], buckets: readonly number[], reports: number): number | null {
  if (reports === 0) return null
  let left = 0.75 * reports
  for (const [i, bound] of bounds.entries()) {
    const [below, inBucket] = [bounds[i - 1] ?? 0, buckets[i] ?? 0]
    if (left <= inBucket) return below + (bound - below) * (left / inBucket)
    left -= inBucket
  }
  return bounds.at(-1) ?? null
}

/** Public, since visitors' pages are measured too; no session is looked up. */
export const reportWebVitals = ({
  measures,
}: {
  measures: { readonly webVitals: Pick<WebVitals, 'record'> }
}): PublicRoute =>
  publicRoute('POST /api/web-vitals', {
    access: 'anyone',
    summary: 'Reports how fast a page of the web app was in this browser',
    document: { description: 'Counted by the kind of page alone: nothing of the person or the browser.' },
    limit: 'web-vitals',
    body: WebVitalsReport,
    maxBodyBytes: MAX_WEB_VITALS_BYTES,
    idempotent: false,
    status: 204,
    handle: async ({ body }) => measures.webVitals.record(body),
  })
