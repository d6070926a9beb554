import { type WebVitalsReport, webRoute } from '@prelude/contracts'

/** What the types of the DOM lack. */
interface Entry extends PerformanceEntry {
  /** 0: of an event that is no interaction. */
  readonly interactionId?: number
  readonly value?: number
  readonly hadRecentInput?: boolean
}

/** Shifts less than a second apart, within five seconds, count together. */
const WINDOW_GAP_MS = 1_000
const WINDOW_MS = 5_000
/** Browsers report no event that is shorter. */
const SHORTEST_EVENT_MS = 16

/**
 * Measures the Core Web Vitals of this page load, and reports them once, when the page is first hidden: without cookies, and
 * of the address only its route. INP is the longest interaction, as for pages with fewer than 50.
 */
export function reportWebVitals(): void {
  if (document.hidden) return // what a page in the background shows late is not slow
  const report: { -readonly [K in keyof WebVitalsReport]: WebVitalsReport[K] } = {
    page: webRoute(location.pathname),
  }
  const observe = (type: string, take: (entry: Entry) => void): boolean => {
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) return false
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(take))
    observer.observe({
      type,
      buffered: true,
      durationThreshold: SHORTEST_EVENT_MS,
    } as PerformanceObserverInit)
    return true
  }
  observe('largest-contentful-paint', ({ startTime }) => {
    report.lcpMs = startTime
  })
  const interact = ({ interactionId, duration }: Entry): void => {
    if (interactionId) report.inpMs = Math.max(report.inpMs ?? 0, duration)
  }
  observe('event', interact)
  observe('first-input', interact)
  const shifts = { first: 0, last: 0, sum: 0 }
  const isMeasured = observe('layout-shift', ({ startTime, value = 0, hadRecentInput }) => {
    if (hadRecentInput) return
    const isSame = startTime - shifts.last < WINDOW_GAP_MS && startTime - shifts.first < WINDOW_MS
    if (!isSame) Object.assign(shifts, { first: startTime, sum: 0 })
    shifts.last = startTime
    shifts.sum += value
    report.cls = Math.max(report.cls ?? 0, shifts.sum)
  })
  if (isMeasured) report.cls = 0
  const send = (): void => {
    if (!document.hidden) return
    document.removeEventListener('visibilitychange', send)
    fetch('/api/web-vitals', {
      method: 'POST',
      keepalive: true, // also while the page is left
      credentials: 'omit',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(report),
    }).catch(() => {})
  }
  document.addEventListener('visibilitychange', send)
}
