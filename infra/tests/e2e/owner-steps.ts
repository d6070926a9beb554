import type { Song } from '@prelude/contracts'
import { expect, type Locator } from '@playwright/test'
import type { Visit } from './steps.ts'
import { give, type Known, operator, person, request } from './studio.ts'

/** What an owner does with a song, and what is done to it at the desk meanwhile. */

export async function paid(style: string, lyrics = 'la'): Promise<{ ada: Known; song: Song }> {
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
