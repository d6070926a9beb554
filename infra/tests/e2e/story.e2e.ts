import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { album, item, requestSong, signIn, topUp, unlock, WITH_MOTION } from './steps.ts'

/** The main flow in a real browser: sign in, submit, pay, fulfil, listen. */

const FIXTURES = resolve(import.meta.dirname, '../../../services/storage/test/fixtures')
const PICTURES = resolve(import.meta.dirname, '../../../artifacts')
const ADA = { email: 'ada@example.test', name: 'Ada Obi' }

/** It stops the product, which has the settings of a first run. */
test.use({ settings: {} })

test('a song from its lyrics to playback, with the operator in another browser and a restart in between', async ({
  product,
  visit,
}) => {
  const ada = await visit(WITH_MOTION)
  const operator = await visit(WITH_MOTION)

  await ada.page.goto('/')
  await ada.page.screenshot({ path: `${PICTURES}/landing.png`, fullPage: true })
  await signIn(ada, ADA)
  await album(ada).getByText('No requests yet. Create your first demo!').waitFor()
  await ada.page.getByRole('button', { name: /^0\.00 credits/ }).waitFor()

  await requestSong(
    ada,
    'Carry me over the third mainland\nMorning is soft on the sea',
    'Highlife, mid-tempo, warm voice',
  )
  await ada.page
    .getByText(/^Request submitted\. Request ID: [0-9a-f-]{36}\. We'll notify when ready\.$/)
    .waitFor()
  const song = item(ada, 'Highlife')
  await song.getByText('Low credits').waitFor()
  await ada.page.screenshot({ path: `${PICTURES}/home-low-credits.png`, fullPage: true })

  await song.getByRole('button', { name: 'Top Up' }).click()
  await ada.page
    .getByRole('dialog')
    .getByText(/^Ready by .+, if you pay now$/)
    .waitFor()
  await topUp(ada, '25', 'pay')
  await ada.page.getByText('Payment Successful').waitFor()
  await ada.page.getByRole('link', { name: 'Go Home' }).click()
  await ada.page.getByRole('button', { name: /15\.00/ }).waitFor()
  await song.getByRole('button', { name: 'Cooking...' }).waitFor()
  await song.getByText("You'll get an email once song is ready.").waitFor()

  const { email, password } = product.endpoints.operator
  await signIn(operator, { email, name: 'The Operator' })
  await unlock(operator, 'wrong-password')
  await operator.page.getByText('Wrong admin password.').waitFor()
  await unlock(operator, password)
  await operator.page.getByText('Admin mode enabled.').waitFor()
  const region = operator.page.getByRole('region', { name: 'Operator' })
  const choices = region.getByRole('combobox', { name: 'Song' })
  await choices.getByRole('option', { name: /Highlife/ }).waitFor({ state: 'attached' })

  const promised = async (within: Locator): Promise<number> =>
    Date.parse((await within.getByText(/^Ready by .+(?<!now)$/).getAttribute('datetime')) ?? '')
  const said = await promised(ada.page.getByRole('form', { name: 'Request a song' }))
  await requestSong(ada, 'Second song', 'Folk, slow')
  expect(Math.abs((await promised(item(ada, 'Folk, slow'))) - said)).toBeLessThan(3_600_000)
  await choices.getByRole('option', { name: /Folk, slow/ }).waitFor({ state: 'attached' })

  await product.stop()
  await product.start()

  const value = await choices.getByRole('option', { name: /Highlife/ }).getAttribute('value')
  await choices.selectOption(value)
  // 32 s, so that the player can be seen to play it
  const mp3 = Buffer.concat(Array<Buffer>(20).fill(await readFile(`${FIXTURES}/cbr.mp3`)))
  await region
    .getByLabel('Version 1')
    .setInputFiles({ name: 'take.mp3', mimeType: 'audio/mpeg', buffer: mp3 })
  await region.getByLabel('Version 2').setInputFiles(`${FIXTURES}/tone.flac`)
  const made = region.getByRole('combobox', { name: 'How it was made' })
  await made.first().selectOption('Made with the help of AI')
  await region.getByRole('textbox', { name: 'Made with' }).first().fill('Ableton Live')
  await region.getByRole('button', { name: 'Upload' }).click()
  await operator.page.getByText('Both versions uploaded successfully — song marked as ready.').waitFor()
  await operator.page.reload()
  await expect(made.first()).toHaveValue('assisted')
  await operator.page.screenshot({ path: `${PICTURES}/operator.png`, fullPage: true })

  await song.getByRole('button', { name: 'Download' }).click()
  await ada.page.getByRole('menuitem', { name: 'Version 1' }).click()
  const player = ada.page.getByRole('region', { name: 'Player' })
  await player.getByRole('heading', { name: /Highlife/ }).waitFor()
  await player.getByText('Morning is soft on the sea').waitFor()
  await player.getByRole('button', { name: 'Pause' }).waitFor()
  const href = await player.getByRole('link', { name: 'Download' }).getAttribute('href')
  const file = await ada.context.request.get(new URL(href ?? '', product.endpoints.web).href)
  expect(file.status()).toBe(200)
  expect(file.headers()['content-type']).toBe('audio/mpeg')
  await ada.page.screenshot({ path: `${PICTURES}/home-player.png`, fullPage: true })

  const mails = async (): Promise<object[]> => {
    const answer = await fetch(`${product.endpoints.mailbox}/api/messages?to=${ADA.email}`)
    return (await answer.json()) as object[]
  }
  await expect.poll(async () => (await mails()).length).toBeGreaterThanOrEqual(2)
  expect(ada.errors.filter((error) => !/ERR_|Failed to load resource/.test(error))).toEqual([])
  expect(product.checkInvariants()).toContain('0 broken')
})
