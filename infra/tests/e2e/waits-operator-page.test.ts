import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import { chargedSong, delivery, openSong, visitOperator, wav } from './operator-steps.ts'
import { fulfil, give, newcomer, person, request } from './studio.ts'
import { busy, button, click, expectSigns, goto, LONG_MS, status, type Wait } from './waits.ts'

/** Loading states of the operator's page `/operator`. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

const dialogButton =
  (name: string) =>
  (page: Page): Locator =>
    page.getByRole('dialog').getByRole('button', { name, exact: true })

test('every request of the page of the desk shows a loading state', { timeout: LONG_MS }, async () => {
  const song = await chargedSong('Waited for at the desk')
  const owner = await person(newcomer('Bola Ige'))
  await give(owner, 10)
  const changed = await request(owner, 'la', 'Changes waited for')
  await fulfil(changed)
  await owner.post(`/api/songs/${changed.id}/changes`, { notes: [{ version: 1, text: 'louder' }] })
  await using visitor = await visitOperator(browser)
  const at = `/operator?song=${song.id}`
  const open = openSong(visitor, song)
  const press = (name: string, held: RegExp, result: string): Wait => ({
    what: name,
    held,
    begin: click(button(name)),
    sign: (page) => busy(button(name)(page)),
    result: (page) => status(page, result),
  })
  await expectSigns(visitor, [
    {
      what: 'the page',
      held: /\/assets\/desk-page-.*\.js/,
      begin: goto('/operator'),
      sign: status,
      result: (page) => page.getByRole('tab', { name: 'To do' }),
    },
    {
      what: 'the songs of a tab',
      held: /\/api\/operator\/songs\?stage=todo/,
      begin: goto('/operator'),
      sign: status,
      result: (page) => page.getByRole('list', { name: 'Requests' }),
    },
    {
      what: 'a song',
      held: new RegExp(`/api/songs/${changed.id}$`),
      begin: goto(`/operator?song=${changed.id}`),
      sign: status,
      result: () => openSong(visitor, changed),
    },
    {
      what: 'other songs of its person',
      held: /\/api\/operator\/songs\?uid=/,
      begin: goto(at),
      sign: () => open.getByRole('status').filter({ hasText: 'Loading…' }),
      result: () => open.getByText('This is their only one.'),
    },
    press('Start', /\/start$/, 'The song is in the studio.'),
    press('Release', /\/release$/, 'The song is back in the list.'),
    {
      what: 'the internal note',
      held: /\/note$/,
      begin: () => open.getByRole('textbox', { name: 'Internal note' }).fill('horns'),
      sign: () => open.getByText('Saving…'),
      result: () => open.getByText('Saved', { exact: true }),
    },
    {
      what: 'a request that is declined',
      held: /\/decline$/,
      begin: async (page) => {
        await open.getByRole('button', { name: 'Decline' }).click()
        await page.getByRole('textbox', { name: 'Reason' }).fill('cannot be sung')
        await dialogButton('Decline')(page).click()
      },
      sign: (page) => busy(dialogButton('Decline')(page)),
      result: (page) => status(page, 'Request declined.'),
    },
    {
      what: 'changes that are delivered',
      held: /\/api\/operator\/songs\/.*\/changes$/,
      begin: async (page) => {
        await goto(`/operator?song=${changed.id}`)(page)
        await delivery(visitor).getByLabel('Version 1', { exact: true }).setInputFiles(wav('louder.wav', 31))
        await delivery(visitor).getByRole('button', { name: 'Deliver…' }).click()
        await dialogButton('Deliver')(page).click()
      },
      sign: () => delivery(visitor).getByRole('progressbar'),
      result: (page) => status(page, 'Changes delivered.'),
    },
  ])
})
