import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Song } from '@prelude/contracts'
import type { Locator } from '@playwright/test'
import { startMailbox } from '../../stand-ins/mailbox/index.ts'
import { asOwner, heal, poison } from '../support/poison.ts'
import { freePort } from '../support/product-process.ts'
import { expect, type OpenVisitAs, test } from './fixtures.ts'
import { inspect } from './inspect.ts'
import { message, type Visit } from './steps.ts'
import { newcomer, person, studio } from './studio.ts'

/** The operations page during faults, on a product and a mail server of this file. */

/** A server that does not answer is an alert after a minute. */
const OUTAGE_MS = 61_000

interface MailServer {
  readonly url: string
  start(): Promise<void>
  stop(): Promise<void>
}

let mail: MailServer

test.use({
  clock: true,
  settings: [
    async ({ browserName: _browser }, use) => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'prelude-mail-'))
      mail = await mailServer(join(folder.path, 'mail.jsonl'))
      await mail.start()
      await use({
        STARTING_CREDITS: '50',
        RATE_LIMITS: 'off',
        SMTP_URL: mail.url,
        // one test's faults must end before the next test
        ALERT_EVERY_SECONDS: '1',
      })
      await mail.stop()
    },
    { scope: 'worker' },
  ],
})

/** A mail server that can stop and start again at the same address. */
async function mailServer(dataFile: string): Promise<MailServer> {
  const [smtpPort, httpPort] = [await freePort(), await freePort()]
  let running: Awaited<ReturnType<typeof startMailbox>> | undefined
  return {
    url: `smtp://127.0.0.1:${smtpPort}`,
    start: async () => {
      running = await startMailbox({ smtpPort, httpPort, host: '127.0.0.1', dataFile })
    },
    stop: async () => running?.stop(),
  }
}

const region = ({ page }: Visit, name: string): Locator =>
  page.getByRole('region', { name, exact: true }).first()

/** Opens the operations page and unlocks it. */
async function visitOps(visitAs: OpenVisitAs): Promise<Visit> {
  const { email, password } = studio().operator
  const visitor = await visitAs(await person({ email, name: 'The Operator' }))
  await visitor.page.goto('/ops')
  await visitor.page.getByLabel('Admin password').fill(password)
  await visitor.page.getByRole('button', { name: 'Unlock' }).click()
  await region(visitor, 'Services').waitFor()
  return visitor
}

test('a dead letter is shown, replayed by the operator, and gone @night', async ({ product, visitAs }) => {
  const ada = await person()
  await expect.poll(async () => (await ada.get<{ credits: number }>('/api/me')).body.credits).toBe(50)
  const visitor = await visitOps(visitAs)
  const { page } = visitor
  await page.getByText('All services are healthy.').waitFor()
  await region(visitor, 'Dead letters').getByText('No dead letters.').waitFor()
  const wrong = await inspect(visitor, 'operations, all well')

  await poison(product, ada.uid)
  const { id } = (await ada.post<Song>('/api/songs', { lyrics: 'la', style: 'folk' })).body
  const letters = region(visitor, 'Dead letters')
  await letters.getByText('poisoned').waitFor()
  await page.getByRole('status').getByText('1 dead letter').waitFor()
  await letters.getByText('Discard…').click()
  wrong.push(...(await inspect(visitor, 'operations, with a dead letter')))

  await heal(product)
  await letters.getByRole('button', { name: /^Replay SongRequested/ }).focus()
  await page.keyboard.press('Enter')
  await message(visitor, 'status', 'Replay requested.').waitFor()
  await letters.getByText('No dead letters.').waitFor()
  await expect.poll(async () => (await ada.get<Song>(`/api/songs/${id}`)).body.charge).toBe('charged')
  expect(wrong.join('\n')).toBe('')
  expect(visitor.errors).toEqual([])
})

test('an outage of the mail server is shown as degraded; a failed mail can be sent again @night', async ({
  product,
  visitAs,
}) => {
  const visitor = await visitOps(visitAs)
  const { page } = visitor
  const notifier = region(visitor, 'Services').getByRole('row', { name: /^notifier/ })
  await notifier.getByText('ok', { exact: true }).waitFor()
  await mail.stop()
  await notifier.getByText('degraded').waitFor()

  const bola = await person()
  await bola.post<Song>('/api/songs', { lyrics: 'la', style: 'folk' })
  const waiting = region(visitor, 'Mails').getByRole('row', { name: /New request pending/ })
  await waiting.getByText(/ECONNREFUSED|ESOCKET/).waitFor()
  await waiting.getByText(/next try at \d+:\d\d:\d\d/).waitFor()
  const alert = region(visitor, 'Alerts').getByRole('listitem').filter({ hasText: 'mail does not answer' })
  await product.pass(OUTAGE_MS)
  await alert.getByText('A server that Prelude needs does not answer.').waitFor()
  await alert.getByText('Check that server, not Prelude').waitFor()
  await alert.getByText(/mails? waits?; the next try is at \d+:\d\d/).waitFor()
  // the mail about the unlock of this visit may wait too
  await asOwner(
    product,
    `update notifier.message set state = 'failed' where state <> 'sent' and kind = 'song-requested'`,
  )
  const failed = region(visitor, 'Mails').getByRole('row', { name: /failed/ })
  await failed.waitFor()
  const wrong = await inspect(visitor, 'operations, mail is down')

  await mail.start()
  await failed.getByRole('cell', { name: 'the operator' }).waitFor()
  await failed.getByRole('cell', { name: '“folk”' }).waitFor()
  await failed.getByRole('button', { name: 'Send again: New request' }).click()
  const asked = page.getByRole('dialog', { name: 'Send “New request” to the operator?' })
  await asked.getByText('About “folk”.').waitFor()
  await asked.getByText('It has not been sent yet.').waitFor()
  await asked.getByRole('button', { name: 'Send again', exact: true }).click()
  await message(visitor, 'status', 'The mail will be sent again.').waitFor()
  await failed.waitFor({ state: 'detached' })
  await region(visitor, 'Mails')
    .getByText(/^\d+ sent$/)
    .click()
  await region(visitor, 'Mails')
    .getByRole('row', { name: /New request sent/ })
    .first()
    .waitFor()
  await notifier.getByText('ok', { exact: true }).waitFor()
  await page.getByText('All services are healthy.').waitFor()
  // one that was sent asks
  await region(visitor, 'Mails').getByRole('button', { name: 'Send again: New request' }).first().click()
  await page
    .getByRole('dialog')
    .getByText(/^It was sent .*: it will arrive a second time\.$/)
    .waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(wrong.join('\n')).toBe('')
  expect(visitor.errors).toEqual([])
})

test('a mail to a person shows the song and a masked address, and asks before it is sent a second time @night', async ({
  visitAs,
}) => {
  const who = newcomer()
  const ada = await person(who)
  const { id } = (await ada.post<Song>('/api/songs', { lyrics: 'la', style: 'Masked' })).body
  await expect.poll(async () => (await ada.get<Song>(`/api/songs/${id}`)).body.charge).toBe('charged')
  const visitor = await visitOps(visitAs)
  const { page } = visitor
  await page.evaluate(
    (path) =>
      fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'no singer' }),
      }),
    `/api/operator/songs/${id}/refund`,
  )
  await region(visitor, 'Mails')
    .getByText(/^\d+ sent$/)
    .click()
  const sent = region(visitor, 'Mails').getByRole('row', { name: /^Credits refunded sent/ })
  const masked = `${who.email[0]}…@example.test`
  await sent.getByRole('cell', { name: masked }).waitFor()
  await sent.getByRole('cell', { name: '“Masked”' }).waitFor()
  expect(await page.content()).not.toContain(who.email)
  await sent.getByRole('button', { name: /^Send again/ }).click()
  const asked = page.getByRole('dialog', { name: `Send “Credits refunded” to ${masked}?` })
  await asked.getByText(/^It was sent .*: it will arrive a second time\.$/).waitFor()
  await asked.getByRole('button', { name: 'Cancel' }).click()
})

test('only the operator sees the page, and a lock in another tab closes it @night', async ({ visitAs }) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  await visitor.page.goto('/ops')
  await visitor.page.getByText('This page is for the operator.').waitFor()

  const operator = await visitOps(visitAs)
  await operator.page.evaluate(() => fetch('/api/operator/lock', { method: 'POST' }))
  await operator.page.getByLabel('Admin password').waitFor()
})
