import { expect, type Locator, type Page, type Request, type Route } from '@playwright/test'
import type { Song } from '@prelude/contracts'
import { message, type Visit } from './steps.ts'
import { fulfil, give, type Person, newcomer, operator, person, request, tone } from './studio.ts'

/** Actions of the operator in the browser, and the requests of the page. */

const UPLOADED = 'Both versions uploaded successfully — song marked as ready.'
/** The first chunk of a resumable upload, and the largest file that is sent without one. */
export const CHUNK = 262_144

export const region = ({ page }: Visit): Locator => page.getByRole('region', { name: 'Operator' })
export const choices = (visitor: Visit): Locator => region(visitor).getByRole('combobox', { name: 'Song' })
export const upload = (visitor: Visit): Locator =>
  region(visitor).getByRole('button', { name: 'Upload', exact: true })
export const input = (visitor: Visit, n: 1 | 2): Locator =>
  region(visitor).getByLabel(`Version ${n}`, { exact: true })
export const bar = (visitor: Visit, n: 1 | 2): Locator =>
  region(visitor).getByRole('progressbar', { name: `Version ${n}` })
/** How many percent of a file have arrived. */
export const arrived = async (visitor: Visit, n: 1 | 2): Promise<number> =>
  Number(await bar(visitor, n).getAttribute('aria-valuenow'))
/** Presses Pause, Resume or Cancel. */
export const control = (visitor: Visit, what: string, n: 1 | 2): Locator =>
  region(visitor).getByRole('button', { name: `${what} Version ${n}` })

/** The list that is open at `/operator/money`. */
export const money = ({ page }: Visit): Locator => page.getByRole('tabpanel')
/** Opens a list of `/operator/money`. */
export async function openTab({ page }: Visit, name: string): Promise<void> {
  if (!page.url().endsWith('/operator/money')) await page.goto('/operator/money')
  await page.getByRole('tab', { name, exact: true }).click()
}
export const moneyRow = (visitor: Visit, text: string): Locator =>
  money(visitor).getByRole('listitem').filter({ hasText: text })
/** A delivered song of the panel, once their list is open. */
export const readyRow = (visitor: Visit, text: string): Locator =>
  region(visitor).getByRole('listitem').filter({ hasText: text })

/** The confirmation dialog of an action about a person, and its button. */
export const question = ({ page }: Visit, title: string | RegExp): Locator =>
  page.getByRole('dialog', { name: title })
export const confirm = (visitor: Visit, action: string | RegExp): Locator =>
  visitor.page.getByRole('dialog').getByRole('button', { name: action })

/** A charged request, and whose it is. */
export async function paidSong(style: string, lyrics = 'la'): Promise<{ owner: Person; song: Song }> {
  const owner = await person(newcomer('Bola Ige'))
  await give(owner, 10)
  return { owner, song: await request(owner, lyrics, style) }
}

export const chargedSong = async (style: string, lyrics?: string): Promise<Song> =>
  (await paidSong(style, lyrics)).song

export async function deliveredSong(style: string): Promise<{ owner: Person; song: Song }> {
  const paid = await paidSong(style)
  await fulfil(paid.song)
  return paid
}

/** A song as the operator reads it at this time. */
export const songNow = async ({ id }: Pick<Song, 'id'>): Promise<Song> =>
  (await (await operator()).get<Song>(`/api/songs/${id}`)).body

export async function choose(visitor: Visit, { id }: Pick<Song, 'id'>): Promise<void> {
  await choices(visitor).locator(`option[value="${id}"]`).waitFor({ state: 'attached' })
  await choices(visitor).selectOption(id)
}

export const wav = (name: string, seconds: number, hertz = 220) => ({
  name,
  mimeType: 'audio/wav',
  buffer: tone(seconds, hertz),
})

/** Drops files on an element. */
export async function drop(target: Locator, files: readonly ReturnType<typeof wav>[]): Promise<void> {
  const dataTransfer = await target.page().evaluateHandle(
    (all) => {
      const data = new DataTransfer()
      for (const { name, bytes } of all)
        data.items.add(
          new File([Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0))], name, { type: 'audio/wav' }),
        )
      return data
    },
    files.map(({ name, buffer }) => ({ name, bytes: buffer.toString('base64') })),
  )
  await target.dispatchEvent('drop', { dataTransfer })
}

/** The operator's page `/operator`, with a song open if one is given. */
export async function openDesk({ page }: Visit, song?: Pick<Song, 'id'>): Promise<void> {
  await page.goto(`/operator${song ? `?song=${song.id}` : ''}`)
  await page.getByRole('tab', { name: 'To do' }).waitFor()
}

/** The list of the tab of `/operator` that is open, and a song's row in it. */
export const requests = ({ page }: Visit): Locator => page.getByRole('list', { name: 'Requests' })
export const requestRow = (visitor: Visit, { style }: Pick<Song, 'style'>): Locator =>
  requests(visitor).getByRole('link', { name: style })

/** The region of the song that is open at `/operator`, and that of its delivery. */
export const openSong = ({ page }: Visit, { style }: Pick<Song, 'style'>): Locator =>
  page.getByRole('region', { name: style, exact: true })
export const delivery = ({ page }: Visit): Locator => page.getByRole('region', { name: 'Delivery' })

/** The page's requests to uploads and fulfilment, in order. */
export function sent(page: Page): Request[] {
  const all: Request[] = []
  page.on('request', (one) => {
    if (one.method() !== 'GET' && /\/api\/operator\/(uploads|songs)/.test(one.url())) all.push(one)
  })
  return all
}

/** One resumable upload, by its requests. */
export interface Tus {
  readonly address: string
  /** The offset of each chunk, in order. */
  readonly offsets: number[]
  /** The server's offset before each of them. */
  readonly stood: number[]
}

/** The resumable uploads that the page starts or resumes. */
export function uploads({ context }: Visit): { readonly all: Tus[]; created: number } {
  const seen = { all: [] as Tus[], created: 0 }
  const stands = new Map<string, number>()
  const of = (address: string): Tus => {
    const known = seen.all.find((one) => one.address === address)
    if (known) return known
    const begun: Tus = { address, offsets: [], stood: [] }
    seen.all.push(begun)
    return begun
  }
  context.on('request', (one) => {
    if (one.method() === 'POST' && one.url().endsWith('/api/operator/uploads')) seen.created++
    const offset = one.headers()['upload-offset']
    if (one.method() !== 'PATCH' || offset === undefined) return
    const { offsets, stood } = of(one.url())
    offsets.push(Number(offset))
    stood.push(stands.get(one.url()) ?? 0)
  })
  context.on('response', (answer) => {
    const offset = answer.headers()['upload-offset']
    if (offset !== undefined) stands.set(answer.url(), Number(offset))
  })
  return seen
}

/** No byte is sent twice: every chunk begins at the server's last offset. */
export function expectNothingTwice({ all }: ReturnType<typeof uploads>): void {
  expect(all.map(({ offsets }) => offsets)).toEqual(all.map(({ stood }) => stood))
}

/** The chunk sizes of a file that is sent without an interruption. */
export const chunksOf = ({ offsets }: Tus, size: number): number[] =>
  offsets.map((offset, at) => (offsets[at + 1] ?? size) - offset)

/** The first chunk of every upload arrives; later ones are held until they are released or lost. */
export async function holdChunks({ page }: Visit): Promise<{ release(): void; lose(): Promise<void> }> {
  const held: Route[] = []
  let isHolding = true
  await page.route('**/api/operator/uploads/*', async (route) => {
    const one = route.request()
    if (isHolding && one.method() === 'PATCH' && one.headers()['upload-offset'] !== '0') held.push(route)
    else await route.continue()
  })
  return {
    /** Sends held and later chunks; those that the page has aborted are gone. */
    release: () => void (isHolding = false),
    /** Both files' held chunks fail; waits until both are held. */
    lose: async () => {
      await expect.poll(() => held.length).toBeGreaterThanOrEqual(2)
      isHolding = false
      await Promise.all(held.map((route) => route.abort().catch(() => {})))
    },
  }
}

export const uploadDone = (visitor: Visit): Promise<void> => message(visitor, 'status', UPLOADED).waitFor()
