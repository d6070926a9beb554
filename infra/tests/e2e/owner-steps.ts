import type { Song } from '@prelude/contracts'
import { expect, type Locator } from '@playwright/test'
import { balance, type Visit } from './steps.ts'
import { give, type Person, operator, person, request } from './studio.ts'

/** What an owner does with a song, and what is done to it at the desk meanwhile. */

export async function paid(style: string, lyrics = 'la'): Promise<{ ada: Person; song: Song }> {
  const ada = await person()
  await give(ada, 10)
  return { ada, song: await request(ada, lyrics, style) }
}

export const desk = async (song: Song, action: string, body?: unknown): Promise<void> => {
  const path = `/api/operator/songs/${song.id}/${action}`
  const { status } = await (await operator()).send(action === 'note' ? 'PUT' : 'POST', path, body)
  expect(status).toBeLessThan(300)
}

export const openPage = async (visitor: Visit, song: Song): Promise<void> => {
  await visitor.page.goto(`/songs/${song.id}`)
  await visitor.page.getByRole('list', { name: 'Timeline' }).waitFor()
}
export const region = ({ page }: Visit, name: string): Locator => page.getByRole('region', { name })
export const button = (within: Locator | Visit['page'], name: string): Locator =>
  within.getByRole('button', { name })
export const steps = ({ page }: Visit): Promise<string[]> =>
  page.getByRole('list', { name: 'Timeline' }).locator('li > span').allTextContents()

/** The states of the top-up dialog with something to read, from its opening to its end, for a person in Nigeria. */
export async function lookAtTopUp(visitor: Visit, look: (state: string) => Promise<unknown>): Promise<void> {
  await balance(visitor).click()
  const { page } = visitor
  const dialog = page.getByRole('dialog', { name: 'Enter Credit Amount' })
  await dialog.getByRole('spinbutton', { name: 'Amount' }).fill('3')
  await dialog.getByRole('button', { name: 'Pay' }).click()
  await dialog.getByRole('alert').waitFor()
  await look('an amount that is too low')
  await dialog.getByRole('combobox', { name: 'Payment method' }).selectOption({ label: 'Naira Transfer' })
  await dialog.getByRole('button', { name: 'I have sent it' }).waitFor()
  await look('the instructions for a transfer')
  await page.keyboard.press('Escape')
}
