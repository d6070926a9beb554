import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../e2e/browser.ts'
import { slowDown, SLOWER, visit } from '../visit.ts'
import { median, ms, type Row, type Work } from '../work.ts'

const WIDTHS = [360, 1440]
const VISITS = 3
const WATCHED_MS = 5_000

interface Measured {
  readonly scriptBytes: number
  readonly lcpMs: number
  readonly cls: number
  readonly longestTaskMs: number
}

/** The landing page in Chromium with a CPU throttled four times. */
export const firstPage: Work = {
  name: 'first-page',
  run: async ({ product }) => {
    await using browser = await launchBrowser()
    const rows: Row[] = []
    for (const width of WIDTHS) {
      const visits: Measured[] = []
      for (let i = 0; i < VISITS; i++) visits.push(await measure(browser, product.url, width))
      const middle = (of: (one: Measured) => number): number => median(visits.map(of))
      const bytes = middle((one) => one.scriptBytes)
      const lcp = middle((one) => one.lcpMs)
      const cls = middle((one) => one.cls)
      const task = middle((one) => one.longestTaskMs)
      rows.push({
        work: `first page at ${width} px, 4 × slower`,
        product: `${Math.round(bytes / 1024)} KiB of scripts, LCP ${ms(lcp)}, CLS ${cls.toFixed(3)}, longest task ${ms(task)}`,
        goal: '≤ 150 KiB, LCP ≤ 1 s, CLS ≤ 0.02, no task over 200 ms',
        met: bytes <= 150 * 1024 && lcp <= 1_000 && cls <= 0.02 && task <= 200,
      })
    }
    return rows
  },
}

async function measure(browser: Browser, url: string, width: number): Promise<Measured> {
  await using opened = await visit(browser, { width, height: 800 })
  const { page, devtools } = opened
  await slowDown(opened, SLOWER)
  await devtools.send('Network.enable')
  const scripts = new Set<string>()
  let scriptBytes = 0
  devtools.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') scripts.add(requestId)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) scriptBytes += encodedDataLength
  })
  await page.addInitScript(observe)
  await page.goto(url)
  await page.waitForTimeout(WATCHED_MS)
  return { scriptBytes, ...(await page.evaluate(() => window.bench)) }
}

declare global {
  interface Window {
    bench: Omit<Measured, 'scriptBytes'>
  }
}

/** Runs in the page before its own scripts. */
function observe(): void {
  const bench = { lcpMs: 0, cls: 0, longestTaskMs: 0 }
  window.bench = bench
  const on = (
    type: string,
    onEntry: (entry: PerformanceEntry & { value?: number; hadRecentInput?: boolean }) => void,
  ) => new PerformanceObserver((list) => list.getEntries().forEach(onEntry)).observe({ type, buffered: true })
  on('largest-contentful-paint', (entry) => (bench.lcpMs = entry.startTime))
  on('layout-shift', (entry) => {
    if (entry.hadRecentInput !== true) bench.cls += entry.value ?? 0
  })
  on('longtask', (entry) => (bench.longestTaskMs = Math.max(bench.longestTaskMs, entry.duration)))
}
