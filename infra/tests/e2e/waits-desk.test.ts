import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { launchBrowser } from './browser.ts'
import {
  chargedSong,
  choices,
  choose,
  confirm,
  input,
  region,
  upload,
  visitOperator,
  wav,
} from './operator-steps.ts'
import type { Visit } from './steps.ts'
import { fulfil, give, pay, person, request, studio } from './studio.ts'
import { busy, expectSigns, goto, idle, LONG_MS, status, type Wait } from './waits.ts'

/** Loading states of the operator's desk. */

let browser: Browser
beforeAll(async () => void (browser = await launchBrowser()))
afterAll(() => browser.close())

/** The rows and buttons of one operator's desk. */
function deskOf(visitor: Visit) {
  const row = (text: string): Locator => region(visitor).getByRole('listitem').filter({ hasText: text })
  return {
    row,
    inRow: (text: string, name: string): Locator => row(text).getByRole('button', { name, exact: true }),
    tab: (name: string): Locator => region(visitor).getByRole('button', { name, exact: true }),
    field: (text: string, name: string): Locator => row(text).getByLabel(name, { exact: true }),
  }
}

test('every list of the operator’s desk shows a loading state', { timeout: LONG_MS }, async () => {
  const bola = await person()
  // each makes an entry in the audit, which has 50 a page
  for (let n = 0; n < 51; n++) await give(bola, 1)
  await fulfil(await request(bola, 'la', 'Delivered'))
  await bola.post('/api/payments/naira-transfers', {}, { 'cf-ipcountry': 'NG' })
  await bola.post('/api/payments', { amount: 25 })
  await using visitor = await visitOperator(browser)
  const { tab } = deskOf(visitor)
  // the queue is always visible, and has a name
  const rows = (): Locator => region(visitor).locator('ul:not([aria-label]) > li')
  const loading = (): Locator => region(visitor).getByRole('status').filter({ hasText: 'Loading…' }).last()
  const list = (name: string, held: RegExp): Wait => ({
    what: name,
    held,
    begin: () => tab(name).click(),
    sign: loading,
    result: () => rows().first(),
  })
  await expectSigns(visitor, [
    {
      what: 'the panel',
      held: /\/assets\/operator-.*\.js/,
      begin: goto('/'),
      sign: status,
      result: () => choices(visitor),
    },
    {
      what: 'the songs to be made',
      held: /\/api\/operator\/songs\?status=pending/,
      begin: goto('/'),
      sign: () => busy(choices(visitor)),
      result: () => idle(choices(visitor)),
    },
    {
      ...list('Transfers', /\/api\/operator\/transfers/),
      begin: async (page) => {
        await goto('/')(page)
        // the queue's loading state has the same text
        await idle(choices(visitor)).waitFor()
      },
    },
    list('Ready songs', /\/api\/operator\/songs\?status=ready/),
    list('People', /\/api\/operator\/people/),
    {
      ...list('a search of people', /\/api\/operator\/people\?.*q=/),
      begin: () => region(visitor).getByLabel('Search people').fill(bola.email),
      // the rows that are there stay meanwhile
      sign: () => region(visitor).locator('ul[aria-busy=true]'),
      result: () => region(visitor).locator('ul[aria-busy=false] > li').first(),
    },
    {
      ...list('those who owe', /\/api\/operator\/debts\?limit=50/),
      begin: () => region(visitor).getByRole('checkbox', { name: 'Only people with debts' }).check(),
      result: () => rows().first().or(region(visitor).getByText('No debts.')).first(),
    },
    list('Payments', /\/api\/operator\/payments/),
    list('Audit', /\/api\/operator\/audit/),
    {
      what: 'older rows',
      held: /\/api\/operator\/audit.*cursor/,
      begin: () => tab('More').click(),
      sign: () => busy(tab('More')),
      result: () => rows().nth(50),
    },
  ])
})

test('every request about money at the desk shows a loading state', { timeout: LONG_MS }, async () => {
  const [bola, payer, sender, liar] = [await person(), await person(), await person(), await person()]
  await pay(payer, 25)
  const refused = await chargedSong('To be refunded')
  for (const one of [sender, liar])
    await one.post('/api/payments/naira-transfers', {}, { 'cf-ipcountry': 'NG' })
  await using visitor = await visitOperator(browser)
  const { row, inRow, tab, field } = deskOf(visitor)
  await expectSigns(visitor, [
    {
      what: 'a transfer that is confirmed',
      held: /\/transfers\/.*\/confirm/,
      begin: async () => {
        await inRow(sender.email, 'Confirm').click()
        await confirm(visitor, /^Give/).click()
      },
      sign: () => busy(confirm(visitor, /^Give/)),
      result: (page) => status(page, 'Transfer confirmed.'),
    },
    {
      what: 'a transfer that is rejected',
      held: /\/transfers\/.*\/reject/,
      begin: async () => {
        await field(liar.email, 'Reason to reject').fill('nothing came')
        await inRow(liar.email, 'Reject').click()
      },
      sign: () => busy(inRow(liar.email, 'Reject')),
      result: (page) => status(page, 'Transfer rejected.'),
    },
    {
      what: 'a transfer that is recorded',
      held: /\/api\/operator\/transfers$/,
      begin: async () => {
        await region(visitor).getByText('Record an unannounced transfer').click()
        await region(visitor).getByLabel('E-mail').fill(liar.email)
        await tab('Record').click()
        await confirm(visitor, /^Give/).click()
      },
      sign: () => busy(confirm(visitor, /^Give/)),
      result: (page) => status(page, 'Transfer recorded.'),
    },
    {
      what: 'the consequences of an adjustment',
      held: /\/api\/operator\/people\?q=[^@]*$/,
      begin: async () => {
        await tab('People').click()
        await row(bola.email).getByText('Adjust credits').click()
        await row(bola.email).getByLabel('Credits').fill('1')
        await field(bola.email, 'Reason').fill('for a story')
        await inRow(bola.email, 'Adjust').click()
      },
      sign: (page) => page.getByRole('dialog').getByText('Loading…'),
      result: (page) => page.getByRole('dialog').getByText(bola.email),
    },
    {
      what: 'credits that are adjusted',
      held: /\/api\/operator\/credits$/,
      begin: async () => {
        await confirm(visitor, /^Give/).click()
      },
      sign: () => busy(confirm(visitor, /^Give/)),
      result: (page) => status(page, 'Credits adjusted.'),
    },
    {
      what: 'a payment that is refunded',
      held: /\/api\/operator\/payments\/.*\/refund$/,
      begin: async () => {
        await tab('Payments').click()
        await row(payer.email).getByText('Refund').first().click()
        await inRow(payer.email, 'Refund').click()
        await confirm(visitor, /^Give/).click()
      },
      sign: () => busy(confirm(visitor, /^Give/)),
      result: (page) => status(page, 'Payment refunded.'),
    },
    {
      what: 'credits that are refunded',
      held: /\/api\/operator\/songs\/.*\/refund$/,
      begin: async () => {
        await choose(visitor, refused)
        await region(visitor).getByText('Refund the credits instead').click()
        await region(visitor).getByLabel('Reason').first().fill('cannot be sung')
        await tab('Refund credits').click()
        await confirm(visitor, /^Give/).click()
      },
      sign: () => busy(confirm(visitor, /^Give/)),
      result: (page) => status(page, 'Credits refunded'),
    },
  ])
})

test(
  'every request about files and the password at the desk shows a loading state',
  { timeout: LONG_MS },
  async () => {
    const charged = await chargedSong('To be made')
    await using visitor = await visitOperator(browser)
    const { row, inRow, tab, field } = deskOf(visitor)
    const replace = (): Locator => inRow(charged.email, 'Replace')
    await expectSigns(visitor, [
      {
        what: 'an upload',
        held: /\/fulfil$/,
        begin: async () => {
          await choose(visitor, charged)
          for (const n of [1, 2] as const) await input(visitor, n).setInputFiles(wav(`${n}.wav`, 2))
          await upload(visitor).click()
        },
        sign: () => region(visitor).getByRole('progressbar').nth(1),
        result: (page) => status(page, 'Both versions uploaded successfully'),
      },
      {
        what: 'a version that is replaced',
        held: /\/api\/operator\/songs\/.*\/versions\/1$/,
        method: 'PUT',
        begin: async () => {
          await tab('Ready songs').click()
          await row(charged.email).getByText('Replace a version').click()
          await field(charged.email, 'New file').setInputFiles(wav('better.wav', 2))
          await replace().click()
        },
        sign: () => busy(replace()),
        result: (page) => status(page, 'Version 1 replaced.'),
      },
      {
        what: 'the end of the unlock',
        held: /\/api\/operator\/lock/,
        begin: () => tab('Lock').click(),
        sign: () => busy(tab('Lock')),
        result: () => tab('Unlock'),
      },
      {
        what: 'the password',
        held: /\/api\/operator\/unlock/,
        begin: async () => {
          await region(visitor).getByLabel('Admin password').fill(studio().operator.password)
          await tab('Unlock').click()
        },
        sign: () => busy(tab('Unlock')),
        result: (page) => status(page, 'Admin mode enabled.'),
      },
    ])
  },
)
