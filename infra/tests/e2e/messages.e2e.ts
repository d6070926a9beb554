import { expect, test } from './fixtures.ts'
import { choose, item, message } from './steps.ts'
import { person, request } from './studio.ts'

/** How long messages stay, and how they are announced. */

const ASKED_AGAIN = 'The form holds the words'

test('a message stays while the pointer or the focus is on it @night', async ({ visitAs }) => {
  const ada = await person()
  await request(ada, 'la', 'Asked for')
  const visitor = await visitAs(ada)
  const { page } = visitor
  // it moves only by fastForward
  await page.clock.install()
  await page.reload()
  await item(visitor, 'Asked for').waitFor()
  await page.clock.pauseAt(Date.now() + 60_000)
  const toast = message(visitor, 'status', ASKED_AGAIN)
  await choose(item(visitor, 'Asked for'), 'Ask again')
  await toast.hover()
  await page.clock.fastForward(8_000)
  await expect(toast).toBeVisible()
  await page.mouse.move(5, 5)
  await toast.waitFor({ state: 'detached' })

  await choose(item(visitor, 'Asked for'), 'Ask again')
  await toast.getByRole('button', { name: 'Dismiss' }).focus()
  await page.clock.fastForward(8_000)
  await expect(toast).toBeVisible()
  await page.getByRole('textbox', { name: 'Lyrics' }).focus()
  await toast.waitFor({ state: 'detached' })
})

test('a message is put into a live region that is in the document before @night', async ({ visitAs }) => {
  const ada = await person()
  await request(ada, 'la', 'Asked for')
  const visitor = await visitAs(ada)
  const { page } = visitor
  await page.route('**/api/songs/*', (route) => route.abort())
  for (const [role, text, name] of [
    ['status', ASKED_AGAIN, 'Ask again'],
    ['alert', 'There is no connection right now.', 'Favourite'],
    ['alert', 'There is no connection right now.', 'Favourite'],
  ] as const) {
    const regions = await page.evaluateHandle(() => [
      ...document.querySelectorAll('[role=status], [role=alert], [aria-live]'),
    ])
    await choose(item(visitor, 'Asked for'), name)
    const toast = message(visitor, role, text)
    await toast.waitFor()
    expect(await regions.evaluate((before, one) => before.includes(one), await toast.elementHandle())).toBe(
      true,
    )
  }
})
