import { readdirSync } from 'node:fs'
import { expect, test } from './fixtures.ts'
import { album, banner, message } from './steps.ts'
import { fulfil, give, pay, person, request } from './studio.ts'

test('the first visit speaks the language of the browser, or English; the one that was chosen is kept', async ({
  visit,
}) => {
  const french = await visit({ locale: 'fr-CA' })
  await french.page.goto('/')
  await french.page.getByRole('button', { name: 'Essayer' }).first().waitFor()
  await french.page.getByRole('button', { name: 'English' }).click()
  await french.page.getByRole('button', { name: 'Try Now' }).first().waitFor()
  await french.page.reload()
  await french.page.getByRole('button', { name: 'Try Now' }).first().waitFor()

  const visitor = await visit({ locale: 'de-DE' })
  const { page } = visitor
  await page.goto('/')
  await page.getByRole('heading', { name: 'Find Your Hit Song Before You Hit The Studio!' }).waitFor()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')

  await page.getByRole('button', { name: 'Français' }).click()
  const tagline = page.getByRole('heading', {
    level: 1,
    name: 'Trouvez votre tube avant d’entrer en studio !',
  })
  await tagline.waitFor()
  await page.reload()
  await tagline.waitFor()
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  await page.getByText('de quoi faire 2 chansons').waitFor()

  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('button', { name: 'Try Now' }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('signed in, numbers, errors of the server and the album are in French, and a change of language keeps typed text', async ({
  visitAs,
}) => {
  const singer = await person()
  await give(singer, 11)
  await request(singer, 'la la', 'chanson')
  const visitor = await visitAs(singer)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('La mer')
  await page.getByRole('button', { name: 'Français' }).click()

  const lyrics = page.getByRole('textbox', { name: 'Paroles' })
  await expect(lyrics).toHaveValue('La mer')
  await page.getByRole('banner').getByRole('button', { name: '1,00 crédit', exact: true }).waitFor()
  await page.getByRole('region', { name: 'Mon album' }).getByText('dès que la chanson sera prête').waitFor()

  await page.getByRole('button', { name: 'Créer' }).click()
  await message(visitor, 'alert', 'Veuillez indiquer les paroles et le style de la chanson.').waitFor()
  await page.getByRole('textbox', { name: 'Style' }).fill('x'.repeat(1_001))
  await page.getByRole('button', { name: 'Créer' }).click()
  await message(visitor, 'alert', 'Les paroles peuvent avoir au plus 10 000 caractères').waitFor()

  await page.getByRole('button', { name: 'English' }).click()
  await album(visitor).waitFor()
  await expect(page.getByRole('textbox', { name: 'Lyrics' })).toHaveValue('La mer')
})

const FILES = readdirSync(new URL('../../../web/src/messages/visitor', import.meta.url))
const LANGUAGES = FILES.map((file) => file.replace(/\.ts$/, ''))

for (const language of LANGUAGES)
  test(`in ${language} no page is wider than a phone @night`, async ({ visitAs }) => {
    const singer = await person()
    await give(singer, 12.5)
    const song = await request(singer, 'la la', 'folk')
    await fulfil(song)
    await pay(singer, 25)
    const visitor = await visitAs(singer, { viewport: { width: 360, height: 740 } })
    const { page } = visitor
    await page.locator(`footer button[lang="${language}"]`).click()
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    for (const path of ['/', '/statement', '/your-data', '/sessions', '/payment-failed', '/nowhere']) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
      await expect(page.getByRole('main').getByText(/^[\p{L} ]+…$/u)).toHaveCount(0)
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 360])
    }
    await page.goto('/')
    await banner(visitor).getByRole('link', { name: 'Prelude' }).click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    expect(visitor.errors).toEqual([])
  })
