import { launchBrowser } from '../../e2e/browser.ts'
import type { Person } from '../../support/person.ts'
import { startBenchProduct, untilDecided } from '../product.ts'
import { DESKTOP, slowDown, SLOWER, visit } from '../visit.ts'
import { atMost, median, ms, type Work } from '../work.ts'

const SONGS = 500
const PEOPLE = 10
const VISITS = 5

/** The operator's desk with several hundred paid songs, on a slow machine. */
export const desk: Work = {
  name: 'desk',
  run: async () => {
    await using product = await startBenchProduct()
    const { operator, url } = product
    const people = await product.people(PEOPLE, (SONGS / PEOPLE) * 10)
    await Promise.all(people.map(fill))
    await using browser = await launchBrowser()
    await using laptop = await visit(browser, DESKTOP, { url, person: operator })
    const { page } = laptop
    await slowDown(laptop, SLOWER)
    const opened: number[] = []
    const filtered: number[] = []
    for (let n = 0; n < VISITS; n++) {
      await page.goto(`${url}/operator`, { waitUntil: 'commit' })
      opened.push(await page.evaluate(untilListed))
      filtered.push(await page.evaluate(untilTabShows, 'Late'), await page.evaluate(untilTabShows, 'To do'))
    }
    const what = `desk with ${SONGS} open songs`
    return [
      atMost(`${what}, opened, 4 × slower`, ms, { '': [median(opened), 1_000] }),
      atMost(`${what}, another tab, 4 × slower`, ms, { '': [median(filtered), 100] }),
    ]
  },
}

async function fill(person: Person): Promise<void> {
  for (let n = 0; n < SONGS / PEOPLE; n++) {
    const { status } = await person.post('/api/songs', { lyrics: 'la la\n'.repeat(20), style: `Style ${n}` })
    if (status !== 201) throw new Error(`${status} for a request`)
  }
  await untilDecided(person)
}

/** Since the navigation began. */
function untilListed(): Promise<number> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.querySelector('[role=tabpanel] li'))
        requestAnimationFrame(() => resolve(performance.now()))
      else requestAnimationFrame(look)
    }
    look()
  })
}

/** From the press of a tab to its requests, or to the word that there are none. */
function untilTabShows(name: string): Promise<number> {
  // its name ends with how many songs it has
  const tab = [...document.querySelectorAll<HTMLElement>('[role=tab]')].find((one) =>
    one.textContent.startsWith(name),
  )
  const since = performance.now()
  tab?.click()
  return new Promise((resolve) => {
    const look = (): void => {
      const isThere =
        tab?.getAttribute('aria-selected') === 'true' &&
        document.querySelector('[role=tabpanel] li, [role=tabpanel] p:not([role=status])') !== null
      if (isThere) requestAnimationFrame(() => resolve(performance.now() - since))
      else requestAnimationFrame(look)
    }
    look()
  })
}
