import type { Share, Song } from '@prelude/contracts'
import { gzipSync } from 'node:zlib'
import { expect, test } from './fixtures.ts'
import { inspect } from './inspect.ts'
import { choose, item, listen } from './steps.ts'
import { analysed, fulfil, type Person, person, request, studio } from './studio.ts'

let ada: Person
let song: Song

test.beforeAll(async () => {
  ada = await person()
  song = await request(ada, 'First line\nSecond line', 'Long tones')
  await fulfil(song)
  await analysed(ada, song, 2)
})

const share = async (given: object = {}): Promise<Share> =>
  (await ada.post<Share>(`/api/songs/${song.id}/shares`, given)).body

test('a person with a link hears both versions, seeks and saves, until it ends', async ({ visit }) => {
  const { id, url } = await share({ lyrics: true, download: true })
  const visitor = await visit()
  const { page } = visitor
  const audioOn = await listen(visitor)
  const referrers: string[] = []
  const scripts: Promise<{ path: string; size: number }>[] = []
  const calls: string[] = []
  page.on('request', (sent) => {
    referrers.push(sent.headers()['referer'] ?? '')
    const { pathname } = new URL(sent.url())
    if (pathname.startsWith('/api/')) calls.push(pathname)
  })
  page.on('response', (answer) => {
    if (answer.request().resourceType() === 'script')
      scripts.push(
        answer.body().then((body) => ({ path: new URL(answer.url()).pathname, size: gzipSync(body).length })),
      )
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.getByRole('heading', { level: 1, name: 'Long tones' }).waitFor()
  await page.getByText('First line\nSecond line').waitFor()
  await page.getByText('How it was made: Not stated').nth(1).waitFor()
  const loaded = await Promise.all(scripts)
  expect(loaded.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(60_000)
  // none is found in another one, which would take a further round trip
  const html = await (await fetch(url)).text()
  expect(loaded.filter(({ path }) => !html.includes(path))).toEqual([])
  const path = new URL(url).pathname.replace('/s/', '/api/shares/')
  // the text is in the page itself, and no sound is loaded before the tap
  await expect.poll(() => calls.toSorted()).toEqual([1, 2].map((n) => `${path}/versions/${n}/waveform`))
  expect(await inspect(visitor, 'the page of a link')).toEqual([])
  const play = (n: number) => page.getByRole('button', { name: `Play Version ${n}` })
  // before a sound plays its slider says where it begins
  const slider = page.getByRole('slider', { name: 'Position' })
  await slider.fill('10000')
  await expect(slider).toHaveValue('10000')
  await play(2).click()
  await expect(play(2)).toHaveAttribute('aria-pressed', 'true')
  await expect.poll(() => audioOn(page)).toMatchObject([{ path: `${path}/versions/2` }])
  await slider.fill('20000')
  const position = () => slider.inputValue().then(Number)
  await expect.poll(position).toBeGreaterThanOrEqual(20_000)
  await play(2).click()
  await expect.poll(() => audioOn(page)).toEqual([])
  await slider.fill('20000')
  await slider.press('ArrowLeft')
  await expect(slider).toHaveValue('15000')
  // the other version goes on from there
  await play(1).click()
  await expect.poll(() => audioOn(page)).toMatchObject([{ path: `${path}/versions/1` }])
  expect(await position()).toBeGreaterThanOrEqual(15_000)
  await play(1).click()
  const saving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download Version 1' }).click()
  expect((await saving).suggestedFilename()).toBe('Long tones (Version 1).wav')
  expect(referrers.join('')).not.toContain('/s/')
  expect(visitor.errors).toEqual([])

  await ada.send('DELETE', `/api/shares/${id}`)
  await page.reload()
  await page.getByText('This link has ended.').waitFor()
})

test('a link that has ended says so in the language of the browser @night', async ({ visit }) => {
  const { id, url } = await share()
  await ada.send('DELETE', `/api/shares/${id}`)
  const visitor = await visit({ locale: 'fr-FR' })
  await visitor.page.goto(url)
  await visitor.page.getByRole('heading', { level: 1, name: 'Ce lien n’est plus valable.' }).waitFor()
})

test('a link without download has no link to save, and shows one version where one is shared @night', async ({
  visit,
}) => {
  const { url } = await share({ versions: [1] })
  const visitor = await visit()
  const { page } = visitor
  await page.goto(url)
  await page.getByRole('button', { name: 'Play Version 1' }).waitFor()
  await expect(page.getByRole('button', { name: 'Play Version 2' })).toHaveCount(0)
  await expect(page.getByRole('link', { name: /Download/ })).toHaveCount(0)
  await expect(page.getByText('First line')).toHaveCount(0)
})

test('a page without a referrer does not keep a signed-in person from using the app @night', async ({
  visitAs,
}) => {
  const { url } = await share()
  const visitor = await visitAs(await person())
  const { page } = visitor
  await page.goto(url)
  await page.getByRole('heading', { level: 1, name: 'Long tones' }).waitFor()
  await page.getByRole('banner').getByRole('link', { name: 'Prelude' }).click()
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('la')
  await page.getByRole('textbox', { name: 'Style' }).fill('from a link')
  const answer = page.waitForResponse(
    (one) => one.request().method() === 'POST' && one.url().endsWith('/api/songs'),
  )
  await page.getByRole('button', { name: 'Create' }).click()
  expect((await answer).status()).toBe(201)
})

test('an owner makes a link, sees its plays, and ends it @night', async ({ visitAs }) => {
  const other = await request(ada, 'la', 'From the app')
  await fulfil(other, 5)
  const visitor = await visitAs(ada, { permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = visitor
  await choose(item(visitor, 'From the app'), 'Share')
  const dialog = page.getByRole('dialog', { name: 'Share' })
  await dialog.getByText('It shows your first name and, as the song has no title, its style.').waitFor()
  const check = (name: string) => dialog.getByRole('checkbox', { name })
  const make = dialog.getByRole('button', { name: 'Make link' })
  await check('Version 1').uncheck()
  await check('Version 2').uncheck()
  await make.click()
  await dialog.getByRole('alert').filter({ hasText: 'Choose at least one version.' }).waitFor()
  await check('Version 2').check()
  await check('Show lyrics').check()
  await check('Allow download').check()
  await dialog.getByRole('combobox', { name: 'Expires' }).selectOption({ label: 'After 7 days' })
  await make.click()
  const link = dialog.getByRole('textbox', { name: 'Link' })
  const url = await link.inputValue()
  await expect(link).toBeFocused()
  await expect(link).toHaveAttribute('readonly')
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(url)

  const token = url.split('/').at(-1) ?? ''
  const shown = await fetch(`${studio().web}/api/shares/${token}`)
  const { expiresAt, ...rest } = (await shown.json()) as Share
  expect(rest).toMatchObject({ versions: [{ n: 2 }], lyrics: 'la', download: true })
  expect(expiresAt! - Date.now()).toBeGreaterThan(6 * 86_400_000)
  const links = dialog.getByRole('list', { name: 'Links' }).getByRole('listitem')
  await links.filter({ hasText: '0 plays' }).waitFor()
  await (await fetch(`${studio().web}/api/shares/${token}/versions/2`)).arrayBuffer()
  const shares = () => ada.get<{ items: Share[] }>(`/api/songs/${other.id}/shares`)
  await expect.poll(async () => (await shares()).body.items[0]?.plays).toBe(1)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await choose(item(visitor, 'From the app'), 'Share')
  await links.filter({ hasText: '1 play' }).getByText('Version 2, lyrics, download').waitFor()
  await links.getByRole('button', { name: 'End link' }).click()
  const asked = page.getByRole('dialog', { name: 'End this link?' })
  await asked.getByRole('button', { name: 'Keep it' }).click()
  await links.getByRole('button', { name: 'End link' }).click()
  await asked.getByRole('button', { name: 'End link' }).click()
  await links.getByText(/ended/).waitFor()
  await expect(dialog.getByRole('button', { name: 'End link' })).toHaveCount(0)
  expect((await fetch(`${studio().web}/api/shares/${token}`)).status).toBe(410)
  expect(visitor.errors).toEqual([])
})
