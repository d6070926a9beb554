import { expect, test } from '@playwright/test'
import { playableIn, playedIn } from './engines/playable.ts'

test('Chromium plays the formats that docs/audio.md says', async ({ page }) => {
  const played = await playedIn(async (url) => {
    await page.goto(url)
    await page.getByRole('button', { name: 'Play' }).click()
  })
  expect(played).toEqual(playableIn('Chromium'))
})
