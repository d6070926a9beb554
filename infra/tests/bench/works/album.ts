import type { Page } from 'playwright-core'
import { launchBrowser } from '../../e2e/browser.ts'
import type { Person } from '../../support/person.ts'
import { PHONE, slowDown, SLOWER, visit } from '../visit.ts'
import { ms, type Row, type Work } from '../work.ts'

const SONGS = 1_000
const AT_ONCE = 8
const STEP_PX = 600
const SCROLL_WITHIN_MS = 180_000

interface Tasks {
  readonly longestMs: number
  /** Total blocking time: the sum of each task's time beyond 50 ms. */
  readonly blockedMs: number
}

/** Long tasks in an album of a thousand songs on a slow phone: scrolling to its end and back to the top. */
export const album: Work = {
  name: 'album',
  run: async ({ product }) => {
    const [person] = await product.people(1, 0)
    await fill(person!)
    await using browser = await launchBrowser()
    await using phone = await visit(browser, PHONE, { url: product.url, person: person! })
    const { page } = phone
    await page.goto(product.url)
    await page.getByRole('region', { name: 'My Album' }).getByRole('listitem').first().waitFor()
    await slowDown(phone, SLOWER)
    await page.evaluate(observe)
    const down = await scroll(page, STEP_PX)
    const up = await scroll(page, -STEP_PX)
    return [row('down, reading more', down), row('back up', up)]
  },
}

const row = (what: string, { longestMs, blockedMs }: Tasks): Row => ({
  work: `album of ${SONGS.toLocaleString('en')} songs, ${what}, 4 × slower`,
  product: `longest task ${ms(longestMs)}, ${ms(blockedMs)} in tasks beyond 50 ms`,
  goal: 'no task over 200 ms',
  met: longestMs <= 200,
})

async function fill(person: Person): Promise<void> {
  let left = SONGS
  const worker = async (): Promise<void> => {
    while (left-- > 0)
      await person.post('/api/songs', { lyrics: 'la la\n'.repeat(20), style: `Style ${left}, slow, warm` })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** Scrolls until the end with every song loaded, or back to the top. */
async function scroll(page: Page, stepPx: number): Promise<Tasks> {
  const since = Date.now()
  for (;;) {
    await page.mouse.move(180, 400)
    await page.mouse.wheel(0, stepPx)
    const { count, y, end } = await page.evaluate(() => ({
      count: document.querySelectorAll('section [role=listitem]').length,
      y: scrollY,
      end: document.documentElement.scrollHeight - innerHeight,
    }))
    if (stepPx < 0 ? y === 0 : count >= SONGS && y >= end - 1) break
    if (Date.now() - since > SCROLL_WITHIN_MS) throw new Error(`only ${count} songs, at ${y} of ${end}`)
  }
  return page.evaluate(seen)
}

declare global {
  interface Window {
    tasks: number[]
  }
}

function observe(): void {
  window.tasks = []
  new PerformanceObserver((list) =>
    window.tasks.push(...list.getEntries().map(({ duration }) => duration)),
  ).observe({
    type: 'longtask',
  })
}

/** Long tasks since the last call. */
function seen(): Tasks {
  const { tasks } = window
  window.tasks = []
  return { longestMs: Math.max(0, ...tasks), blockedMs: tasks.reduce((sum, task) => sum + task - 50, 0) }
}
