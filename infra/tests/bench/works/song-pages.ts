import type { Share, Song } from '@prelude/contracts'
import type { Browser, Page } from 'playwright-core'
import { readFile } from 'node:fs/promises'
import { launchBrowser } from '../../e2e/browser.ts'
import { type BenchProduct, startBenchProduct, untilDecided } from '../product.ts'
import { PHONE, slowDown, SLOWER, visit } from '../visit.ts'
import { atMost, median, ms, type Row, type Work } from '../work.ts'

const VISITS = 5
/** Lighthouse's "Slow 4G": a round trip in ms and bytes per second. */
const SLOW_4G = { latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 }
const GOAL_MS = 1_000
/** Between the text and the tap. */
const READING_MS = 3_000
/** About three minutes of MP3, as songs are delivered. */
const REPEATED = 400
const MP3 = new URL('../../../../services/storage/test/fixtures/cbr.mp3', import.meta.url)

/** Pages of one song on a slow phone: from the address to its text, and from the tap to the sound. */
export const songPages: Work = {
  name: 'song-pages',
  run: async () => {
    await using product = await startBenchProduct()
    const { owner, songId, link } = await sharedSong(product)
    const pages = {
      'page of a link': { address: link },
      'owner’s page of a song': {
        address: `${product.url}/songs/${songId}`,
        as: { url: product.url, person: owner },
      },
    }
    await using browser = await launchBrowser()
    const rows: Row[] = []
    for (const [name, opened] of Object.entries(pages)) {
      const visits: { textMs: number; soundMs: number }[] = []
      while (visits.length < VISITS) visits.push(await measure(browser, opened))
      rows.push(
        atMost(`${name} at ${PHONE.width} px, slow 4G, ${SLOWER} × slower`, ms, {
          text: [median(visits.map(({ textMs }) => textMs)), name === 'page of a link' ? GOAL_MS : null],
          'tap → sound': [median(visits.map(({ soundMs }) => soundMs)), GOAL_MS],
        }),
      )
    }
    return rows
  },
}

async function sharedSong({ people, operator }: BenchProduct) {
  const [owner] = await people(1, 10)
  const { body: song } = await owner!.post<Song>('/api/songs', { lyrics: 'First line', style: 'Folk' })
  await untilDecided(owner!)
  const frames = await readFile(MP3)
  const bytes = Buffer.concat(Array.from({ length: REPEATED }, () => frames))
  const form = new FormData()
  for (const n of [1, 2]) form.set(`version${n}`, new File([bytes], `take ${n}.mp3`))
  const { status } = await operator.send('POST', `/api/operator/songs/${song.id}/fulfil`, form)
  if (status !== 200) throw new Error(`${status} for a delivery`)
  const { body: share } = await owner!.post<Share>(`/api/songs/${song.id}/shares`, { lyrics: true })
  return { owner: owner!, songId: song.id, link: share.url }
}

async function measure(
  browser: Browser,
  { address, as }: { address: string; as?: Parameters<typeof visit>[2] },
) {
  await using phone = await visit(browser, PHONE, as)
  const { page, devtools } = phone
  await slowDown(phone, SLOWER)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_4G })
  await page.addInitScript(observe)
  await page.goto(address)
  const textMs = await seen(page, 'textMs')
  await page.waitForTimeout(READING_MS)
  await page.getByRole('button', { name: 'Play Version 1' }).click()
  return { textMs, soundMs: await seen(page, 'soundMs') }
}

const seen = (page: Page, what: 'textMs' | 'soundMs'): Promise<number> =>
  page.waitForFunction((name) => window.heard[name], what).then((found) => found.jsonValue())

declare global {
  interface Window {
    heard: { textMs: number; soundMs: number }
  }
}

/** Runs in the page before its own scripts. Text is there in the frame after it is in the document, sound when its position moves. */
function observe(): void {
  const heard = { textMs: 0, soundMs: 0 }
  window.heard = heard
  const look = (): void => {
    if (document.body?.innerText.includes('First line')) heard.textMs = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
  let tappedAt = 0
  addEventListener('pointerdown', ({ timeStamp }) => (tappedAt = timeStamp), true)
  const play = HTMLMediaElement.prototype.play
  HTMLMediaElement.prototype.play = function () {
    const listen = (): void => {
      if (this.currentTime > 0) heard.soundMs = performance.now() - tappedAt
      else requestAnimationFrame(listen)
    }
    listen()
    return play.call(this)
  }
}
