import type { Locator } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { looker } from './inspect.ts'
import { delivery, openDesk, openSong, paidSong, question, songNow, uploadDone } from './operator-steps.ts'
import { message } from './steps.ts'

/** Drafts of a music generator at the operator's desk, and what the form says of it. */

test.use({ settings: { RATE_LIMITS: 'off', GENERATOR_URL: 'stand-in' } })

const press = (within: Locator, name: string): Promise<void> =>
  within.getByRole('button', { name, exact: true }).click()

test('drafts are asked for, heard, used and delivered; a part of a take is made again @night', async ({
  visitAs,
  visitOperator,
}) => {
  const { owner, song } = await paidSong('Drafted at the desk', '[Verse]\nRain on the roof')
  const home = await visitAs(owner)
  await home.page.getByText(/music generator/).waitFor()

  const desk = await visitOperator()
  const { look, done } = looker(desk)
  await openDesk(desk, song)
  const region = openSong(desk, song).getByRole('region', { name: 'Drafts' })
  const items = region.getByRole('list', { name: 'Drafts' }).getByRole('listitem')
  const draft = (n: number): Locator => items.filter({ hasText: `Draft ${n} ` })
  await region.getByText('No drafts yet.').waitFor()
  await press(region, 'Make drafts')
  await message(desk, 'status', '2 drafts asked for.').waitFor()
  for (const n of [1, 2])
    await draft(n)
      .getByText(/^Ready · /)
      .waitFor()
  await expect(region.getByRole('status')).toHaveText(/Draft [12]: Ready/)
  await press(draft(1), 'Play draft 1')
  await expect(draft(1).getByRole('button', { name: 'Play draft 1' })).toHaveAttribute('aria-pressed', 'true')
  const use = async (n: number, version: string): Promise<void> => {
    const button = draft(n).getByRole('button', { name: `Use as ${version}` })
    await button.click()
    await expect(button).toHaveAttribute('aria-pressed', 'true')
  }
  await use(1, 'Version 1')
  await use(2, 'Version 2')
  const made = delivery(desk).getByRole('combobox', { name: 'How it was made' })
  await expect(made.first()).toHaveValue('ai')
  await made.nth(1).selectOption('assisted')
  await delivery(desk)
    .getByRole('list', { name: 'Checks' })
    .getByText('peak', { exact: true })
    .nth(1)
    .waitFor()
  await look('the page of the desk, drafts in use')
  await owner.send('PATCH', `/api/songs/${song.id}`, { lyrics: 'Rain on the tin roof' })
  await draft(1).getByText('asked for before the words were changed').waitFor()
  await press(delivery(desk), 'Deliver…')
  await press(question(desk, 'Deliver to Bola Ige?'), 'Deliver')
  await uploadDone(desk)
  const { with: tool } = (await songNow(song)).made?.[1] ?? {}
  expect((await songNow(song)).made).toEqual({
    1: { how: 'ai', with: tool },
    2: { how: 'assisted', with: tool },
  })
  expect(tool).toBeTruthy()

  await owner.post(`/api/songs/${song.id}/changes`, {
    notes: [
      { version: 1, atMs: 5_000, text: 'Calmer here' },
      { version: 2, text: 'Louder' },
    ],
  })
  await openDesk(desk, song)
  const notes = openSong(desk, song).getByRole('list', { name: 'Notes' })
  await press(notes, 'Redo this part')
  const asked = desk.page.getByRole('dialog', { name: 'Redo this part' })
  await expect(asked.getByLabel('From')).toBeFocused()
  await expect(asked.getByLabel('From')).toHaveValue('1000')
  await expect(asked.getByLabel('To')).toHaveValue('6000')
  await asked.getByLabel('From').press('ArrowRight')
  await look('the page of the desk, a part is made again')
  const sent = desk.page.waitForRequest(/\/drafts$/)
  await press(asked, 'Redo this part')
  expect((await sent).postDataJSON()).toMatchObject({ again: { version: 1, take: 1, fromMs: 2_000 } })
  await asked.waitFor({ state: 'detached' })
  await draft(3)
    .getByText(/^Ready · /)
    .waitFor()
  await use(3, 'Version 1')
  await press(delivery(desk), 'Deliver…')
  await press(question(desk, 'Deliver to Bola Ige?'), 'Deliver')
  await message(desk, 'status', 'Changes delivered.').waitFor()
  expect(await songNow(song)).toMatchObject({ takes: { 1: 2, 2: 1 }, made: { 1: { how: 'ai', with: tool } } })

  await openDesk(desk, song)
  await press(draft(2), 'Remove')
  await expect(draft(2)).toHaveCount(0)
  await expect(region.getByRole('button', { name: 'Make drafts' })).toBeFocused()
  done()
})
