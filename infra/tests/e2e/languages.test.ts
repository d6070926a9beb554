import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { album, message, visit, visitAs } from './steps.ts'
import { give, person, request, studio } from './studio.ts'

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

test('the first visit speaks the language of the browser, or English; the one that was chosen is kept', async () => {
  await using french = await visit(browser, { locale: 'fr-CA' })
  await french.page.goto(studio().web)
  await french.page.getByRole('button', { name: 'Essayer' }).first().waitFor()
  await french.page.getByRole('button', { name: 'English' }).click()
  await french.page.getByRole('button', { name: 'Try Now' }).first().waitFor()
  await french.page.reload()
  await french.page.getByRole('button', { name: 'Try Now' }).first().waitFor()

  await using visitor = await visit(browser, { locale: 'de-DE' })
  const { page } = visitor
  await page.goto(studio().web)
  await page.getByRole('heading', { name: 'Find Your Hit Song Before You Hit The Studio!' }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('en')

  await page.getByRole('button', { name: 'Français' }).click()
  const tagline = page.getByRole('heading', {
    level: 1,
    name: 'Trouvez votre tube avant d’entrer en studio !',
  })
  await tagline.waitFor()
  await page.reload()
  await tagline.waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('fr')
  await page.getByText('de quoi faire 2 chansons').waitFor()

  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('button', { name: 'Try Now' }).waitFor()
  expect(visitor.errors).toEqual([])
})

test('signed in, numbers, errors of the server and the album are in French, and a change of language keeps typed text', async () => {
  const singer = await person()
  await give(singer, 11)
  await request(singer, 'la la', 'chanson')
  await using visitor = await visitAs(browser, studio().web, singer)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Lyrics' }).fill('La mer')
  await page.getByRole('button', { name: 'Français' }).click()

  const lyrics = page.getByRole('textbox', { name: 'Paroles' })
  expect(await lyrics.inputValue()).toBe('La mer')
  await page.getByRole('banner').getByRole('button', { name: '1,00 crédit', exact: true }).waitFor()
  await page.getByRole('region', { name: 'Mon album' }).getByText('dès que la chanson sera prête').waitFor()

  await page.getByRole('button', { name: 'Créer' }).click()
  await message(visitor, 'alert', 'Veuillez indiquer les paroles et le style de la chanson.').waitFor()
  await page.getByRole('textbox', { name: 'Style' }).fill('x'.repeat(1_001))
  await page.getByRole('button', { name: 'Créer' }).click()
  await message(visitor, 'alert', 'Les paroles peuvent avoir au plus 10 000 caractères').waitFor()

  await page.getByRole('button', { name: 'English' }).click()
  await album(visitor).waitFor()
  expect(await page.getByRole('textbox', { name: 'Lyrics' }).inputValue()).toBe('La mer')
})
