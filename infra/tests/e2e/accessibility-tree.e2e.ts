import type { Song } from '@prelude/contracts'
import type { Page } from '@playwright/test'
import { announcements, nodes } from './accessibility-tree.ts'
import { expect, test } from './fixtures.ts'
import { chargedSong, choose, input, upload } from './operator-steps.ts'
import { item, requestSong } from './steps.ts'
import { FIXTURES, fulfil, give, newcomer, person, request } from './studio.ts'

/** What a screen reader gets: roles, names, states and announcements along the main flow. */

/** Expects a control with this role, name and states. */
async function expectNode(
  page: Page,
  role: string,
  name: string | RegExp,
  states: Record<string, unknown> = {},
): Promise<void> {
  await expect
    .poll(async () => (await nodes(page)).filter((one) => one.role === role))
    .toContainEqual(
      expect.objectContaining({
        name: typeof name === 'string' ? name : expect.stringMatching(name),
        states: expect.objectContaining(states),
      }),
    )
}

async function expectAnnounced(page: Page, urgency: 'polite' | 'assertive', text: string): Promise<void> {
  await expect
    .poll(() => announcements(page))
    .toContainEqual(expect.stringMatching(new RegExp(`^${urgency}: .*${text}`)))
}

test('a visitor gets landmarks, headings and samples with their state @night', async ({ visit }) => {
  const visitor = await visit()
  const { page } = visitor
  await page.goto('/')
  for (const landmark of ['banner', 'main', 'contentinfo']) await expectNode(page, landmark, '')
  await expectNode(page, 'heading', /^Find Your Hit Song/, { level: 1 })
  const sample = 'Play sample A of Temi Ade'
  await expectNode(page, 'button', sample, { pressed: 'false' })
  await page.getByRole('button', { name: sample }).click()
  await expectNode(page, 'button', sample, { pressed: 'true' })
  await expectNode(page, 'DisclosureTriangle', 'What exactly do I get?', { expanded: false })
})

test('live regions announce a refused request, a sent one, and a song that becomes ready @night', async ({
  visitAs,
}) => {
  const ada = await person(newcomer())
  await give(ada, 10)
  const visitor = await visitAs(ada)
  const { page } = visitor
  await expectNode(page, 'form', 'Request a song')
  await expectNode(page, 'textbox', 'Lyrics', { multiline: true })
  await expectNode(page, 'button', /^10\.00 credits$/)
  await page.getByRole('button', { name: 'Create' }).click()
  await expectAnnounced(page, 'assertive', 'Please provide lyrics and style of song\\.')
  await requestSong(visitor, 'la', 'Announced')
  await expectAnnounced(page, 'polite', 'Request submitted\\. Request ID: ')
  await expectNode(page, 'button', 'Cooking...', { disabled: true })
  const { items } = (await ada.get<{ items: Song[] }>('/api/songs')).body
  await fulfil(items[0]!)
  await expectAnnounced(page, 'polite', 'Ready: Announced')
  await expectNode(page, 'button', 'Play Announced')
})

test('the dialog for credits has a name, a field with its limits and announced errors @night', async ({
  visitAs,
}) => {
  const visitor = await visitAs(await person())
  const { page } = visitor
  await page.getByRole('button', { name: /credits$/ }).click()
  await expectNode(page, 'dialog', 'Enter Credit Amount')
  // what is behind the dialog is not in the tree
  await expect.poll(async () => (await nodes(page)).map(({ role }) => role)).not.toContain('main')
  await expectNode(page, 'spinbutton', 'Amount', { focused: true, valuemin: 25, valuemax: 5_000 })
  await expectNode(page, 'combobox', 'Payment method', { value: 'Card' })
  await expectNode(page, 'button', 'Pay', { disabled: true })
  await page.getByRole('spinbutton').fill('2')
  await page.getByRole('button', { name: 'Pay' }).click()
  await expectAnnounced(page, 'assertive', 'Amount must be greater than 24\\.99')
})

test('menu and player have their states, and the version that plays is announced @night', async ({
  visitAs,
}) => {
  const ada = await person(newcomer())
  const song = await request(ada, 'la', 'Heard')
  await fulfil(song)
  const visitor = await visitAs(ada)
  const { page } = visitor
  await expectNode(page, 'button', 'Download', { hasPopup: 'menu', expanded: false })
  await item(visitor, 'Heard').getByRole('button', { name: 'Download' }).click()
  await expectNode(page, 'button', 'Download', { expanded: true })
  await expectNode(page, 'menuitem', 'Version 1', { focused: true })
  await page.keyboard.press('Enter')
  await expectNode(page, 'region', 'Player')
  await expectNode(page, 'slider', 'Position')
  await expectNode(page, 'radio', 'Version 1', { checked: 'true' })
  await expectNode(page, 'radio', 'Version 2', { checked: 'false' })
  await expectAnnounced(page, 'polite', 'Version 1 is playing')
  await page.keyboard.press('2')
  await expectNode(page, 'radio', 'Version 2', { checked: 'true' })
  await expectAnnounced(page, 'polite', 'Version 2 is playing')
})

test('live regions announce missing choices and a finished upload to the operator @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Tree of the desk')
  const desk = await visitOperator()
  const { page } = desk
  await expectNode(page, 'combobox', 'Song', { value: 'Choose a pending song' })
  for (const n of [1, 2]) await expectNode(page, 'button', `Version ${n}`, { value: 'No file chosen' })
  await upload(desk).click()
  await expectAnnounced(page, 'assertive', 'Select a song ID to upload to\\.')
  await choose(desk, song)
  for (const n of [1, 2] as const) await input(desk, n).setInputFiles(`${FIXTURES}/cbr.mp3`)
  await expectNode(page, 'button', 'Version 1', { value: 'cbr.mp3' })
  await upload(desk).click()
  await expectAnnounced(page, 'polite', 'Both versions uploaded successfully')
})
