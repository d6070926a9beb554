import type { Page, Request } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  choose,
  CHUNK,
  expectNothingTwice,
  holdChunks,
  input,
  upload,
  uploadDone,
  uploads,
  wav,
} from './operator-steps.ts'
import { album, balance, item } from './steps.ts'
import { person, studio } from './studio.ts'

/** Uploads, sessions and tabs across a restart of the server, on a product of this file. */

test.use({ settings: { STARTING_CREDITS: '100', RATE_LIMITS: 'off' } })

test('eight tabs share one live stream, and all show a change, also after one is closed @night', async ({
  visitAs,
}) => {
  const ada = await person()
  const visitor = await visitAs(ada)
  // a late stream of the previous page is not counted
  await visitor.page.goto('about:blank')
  const streams: Request[] = []
  visitor.context.on('request', (one) => {
    if (one.url().endsWith('/api/live')) streams.push(one)
  })
  await visitor.page.goto('/')
  const tabs: Page[] = [visitor.page]
  while (tabs.length < 8) {
    const tab = await visitor.context.newPage()
    await tab.goto('/')
    tabs.push(tab)
  }
  const seen = (text: string, among: readonly Page[]) =>
    Promise.all(
      among.map((page) =>
        album({ ...visitor, page })
          .getByText(text)
          .waitFor(),
      ),
    )
  // opening eight pages is no change
  await seen('No requests yet.', tabs)
  await expect.poll(() => streams.length).toBe(1)
  await ada.post('/api/songs', { lyrics: 'la', style: 'Seen by eight' })
  await seen('Seen by eight', tabs)
  for (const page of tabs) {
    await page.bringToFront() // a tab in the background draws few frames, and is not seen
    await balance({ ...visitor, page })
      .filter({ hasText: '90.00' })
      .waitFor()
  }

  // the tab with the stream is closed: another one takes over
  await tabs[0]!.close()
  await expect.poll(() => streams.length).toBe(2)
  await ada.post('/api/songs', { lyrics: 'la', style: 'Seen by seven' })
  await seen('Seen by seven', tabs.slice(1))
})

test('an upload resumes at its offset after a kill of the server, and open pages recover by themselves @night', async ({
  product,
  visitAs,
}) => {
  const ada = await person()
  const { body: song } = await ada.post<{ id: string }>('/api/songs', {
    lyrics: 'la',
    style: 'Through a crash',
  })
  const listener = await visitAs(ada)
  await item(listener, 'Through a crash').getByRole('button', { name: 'Cooking...' }).waitFor()

  const { email, password } = studio().operator
  const operator = await person({ email, name: 'The Operator' })
  await operator.post('/api/operator/unlock', { password })
  const visitor = await visitAs(operator)
  const seen = uploads(visitor)
  const held = await holdChunks(visitor)
  await choose(visitor, song)
  for (const n of [1, 2] as const) await input(visitor, n).setInputFiles(wav(`${n}.wav`, 60, 220 * n))
  await upload(visitor).click()
  await expect
    .poll(() => seen.all.map(({ offsets }) => offsets))
    .toEqual([
      [0, CHUNK],
      [0, CHUNK],
    ])

  await product.kill()
  // requests in flight fail
  await held.lose()
  await product.start()

  await uploadDone(visitor)
  expect(seen.created).toBe(2)
  expectNothingTwice(seen)
  await item(listener, 'Through a crash').getByRole('button', { name: 'Download' }).waitFor()
  await balance(listener).filter({ hasText: '90.00' }).waitFor()
  await listener.page.getByText('Connection lost.').waitFor({ state: 'detached' })
})
