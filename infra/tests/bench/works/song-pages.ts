import type { Share, Song } from '@prelude/contracts'
import type { Browser, Page } from 'playwright-core'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { launchBrowser } from '../../e2e/browser.ts'
import { type BenchProduct, startBenchProduct, untilDecided } from '../product.ts'
import { PHONE, slowDown, SLOWER, visit } from '../visit.ts'
import { atMost, median, ms, type Row, type Work } from '../work.ts'

const VISITS = 5
/** Lighthouse's "Slow 4G" and "Regular 3G": a round trip in ms and bytes per second; and the goals in ms. */
const NETWORKS = {
  'slow 4G': {
    latency: 150,
    downloadThroughput: 204_800,
    uploadThroughput: 96_000,
    text: 1_000,
    sound: 1_000,
  },
  '3G': { latency: 300, downloadThroughput: 87_500, uploadThroughput: 87_500, text: null, sound: 3_000 },
}
/** Between the text and the tap. */
const READING_MS = 3_000
/** About three minutes of MP3, as songs are delivered. */
const REPEATED = 400
const MP3 = new URL('../../../../services/storage/test/fixtures/cbr.mp3', import.meta.url)

const PLAYS = 1_000
const OTHERS = 50

/** Pages of one song on a slow phone: from the address to its text, and from the tap to the sound. Then many plays of a link at once. */
export const songPages: Work = {
  name: 'song-pages',
  run: async () => {
    await using product = await startBenchProduct({ RATE_LIMITS: 'on', TRUSTED_PROXY_HOPS: '1' })
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
    for (const [network, conditions] of Object.entries(NETWORKS))
      for (const [name, opened] of Object.entries(pages)) {
        const visits: { textMs: number; soundMs: number }[] = []
        while (visits.length < VISITS) visits.push(await measure(browser, opened, conditions))
        rows.push(
          atMost(`${name} at ${PHONE.width} px, ${network}, ${SLOWER} × slower`, ms, {
            text: [
              median(visits.map(({ textMs }) => textMs)),
              name === 'page of a link' ? conditions.text : null,
            ],
            'tap → sound': [median(visits.map(({ soundMs }) => soundMs)), conditions.sound],
          }),
        )
      }
    const path = `${new URL(link).pathname.replace('/s/', '/api/shares/')}/versions/1`
    return [...rows, await manyPlays(product, path)]
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

/** Plays of one address at once, held as by phones that play them, and meanwhile those of another one after the other. */
async function manyPlays({ url }: BenchProduct, path: string): Promise<Row> {
  const sockets: Socket[] = []
  let isHeld = false
  const statuses = Promise.all(
    Array.from({ length: PLAYS }, () => holdPlay(url, path, (socket) => void sockets.push(socket))),
  ).finally(() => (isHeld = true))
  const times: number[] = []
  let refused = 0
  for (let left = OTHERS; left > 0; left -= isHeld ? 1 : 0) {
    const since = performance.now()
    const answer = await fetch(url + path, { headers: { 'x-forwarded-for': '203.0.113.8' } })
    times.push(performance.now() - since)
    await answer.arrayBuffer()
    if (answer.status !== 200) refused++
  }
  const played = (await statuses).filter((status) => status === '200').length
  const waiting = (await statuses).filter((status) => status === '429').length
  for (const socket of sockets) socket.destroy()
  const slowest = Math.max(...times)
  return {
    work: `${PLAYS.toLocaleString('en')} plays of a link at once from one address`,
    product: `${played} play, ${waiting} told to wait; another address: ${refused} of ${times.length} refused, p50 ${ms(median(times))}, slowest ${ms(slowest)}`,
    goal: 'another address: none refused, ≤ 1 s',
    met: refused === 0 && slowest <= 1_000,
  }
}

/** The status of the answer, of which no more is read. */
async function holdPlay(url: string, path: string, keep: (socket: Socket) => void): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  keep(socket)
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: 203.0.113.7\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  return head.toString('latin1', 9, 12)
}

type Network = (typeof NETWORKS)[keyof typeof NETWORKS]

async function measure(
  browser: Browser,
  { address, as }: { address: string; as?: Parameters<typeof visit>[2] },
  { latency, downloadThroughput, uploadThroughput }: Network,
) {
  await using phone = await visit(browser, PHONE, as)
  const { page, devtools } = phone
  await slowDown(phone, SLOWER)
  await devtools.send('Network.enable')
  const speed = { latency, downloadThroughput, uploadThroughput }
  await devtools.send('Network.emulateNetworkConditions', { offline: false, ...speed })
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
