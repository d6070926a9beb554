import type { Page } from 'playwright-core'
import { launchBrowser } from '../../e2e/browser.ts'
import type { Person } from '../../support/person.ts'
import { startBenchProduct, untilDecided } from '../product.ts'
import { audioHead } from '../transfer.ts'
import { atMost, median, ms, type Work } from '../work.ts'

const SONGS = 500
const PEOPLE = 10
const VISITS = 5
const SLOWER = 4
const FILE_BYTES = 5_000_000

/** The operator's desk with several hundred paid songs, on a slow machine; and the checks of two files, on a usual one. */
export const desk: Work = {
  name: 'desk',
  run: async () => {
    await using product = await startBenchProduct()
    const { operator, url } = product
    const people = await product.people(PEOPLE, (SONGS / PEOPLE) * 10)
    await Promise.all(people.map(fill))
    await using browser = await launchBrowser()
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const [name = '', ...value] = operator.cookie.split('=')
    await context.addCookies([{ name, value: value.join('='), url }])
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
    const opened: number[] = []
    const filtered: number[] = []
    for (let n = 0; n < VISITS; n++) {
      await page.goto(`${url}/operator`, { waitUntil: 'commit' })
      opened.push(await page.evaluate(untilListed))
      filtered.push(await page.evaluate(untilTabShows, 'Late'), await page.evaluate(untilTabShows, 'To do'))
    }
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    const checked = await checkTime(page)
    const what = `desk with ${SONGS} open songs`
    return [
      atMost(`${what}, opened, 4 × slower`, ms, { '': [median(opened), 1_000] }),
      atMost(`${what}, another tab, 4 × slower`, ms, { '': [median(filtered), 100] }),
      atMost('desk, checks of two files of 5 MB', ms, { '': [checked, 2_000] }),
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
  const tab = [...document.querySelectorAll<HTMLElement>('[role=tab]')].find(
    (one) => one.textContent === name,
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

async function checkTime(page: Page): Promise<number> {
  await page.getByRole('list', { name: 'Requests' }).getByRole('link').first().click()
  const delivery = page.getByRole('region', { name: 'Delivery' })
  const files = [1, 2].map((n) => ({ name: `take ${n}.wav`, mimeType: 'audio/wav', buffer: wave(n * 220) }))
  await delivery.getByLabel('Version 1', { exact: true }).setInputFiles(files[0]!)
  const since = Date.now()
  await delivery.getByLabel('Version 2', { exact: true }).setInputFiles(files[1]!)
  await delivery.locator('ul[aria-busy=false]').waitFor()
  return Date.now() - since
}

/** A tone of 28 seconds. */
function wave(hertz: number): Buffer {
  const file = Buffer.alloc(FILE_BYTES)
  audioHead(FILE_BYTES).copy(file)
  for (let at = 44; at < FILE_BYTES; at += 2)
    file.writeInt16LE(Math.round(Math.sin(((at >> 2) / 44_100) * hertz * 2 * Math.PI) * 12_000), at)
  return file
}
