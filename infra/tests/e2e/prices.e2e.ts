import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { deliveredSong, openDesk, openSong, paidSong, question } from './operator-steps.ts'
import { button, paid } from './owner-steps.ts'
import { choose, item } from './steps.ts'

/** A song from a time with another price than today's. */
async function answerPrice(page: Page, price: number): Promise<void> {
  await page.route('**/api/live', (route) => route.abort())
  await page.route(/\/api\/(operator\/)?songs(\?|\/[^/]+$)/, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replaceAll('"price":10,', `"price":${price},`)
    await route.fulfill({ response, body })
  })
  await page.reload()
}

test('what comes back with a cancellation is what the song cost @night', async ({ visitAs }) => {
  const { ada } = await paid('Cheaper then')
  const visitor = await visitAs(ada)
  await answerPrice(visitor.page, 7.5)
  await choose(item(visitor, 'Cheaper then'), 'Cancel request')
  await expect(visitor.page.getByRole('dialog').getByText('7.50 credits are yours again')).toBeVisible()
})

test('what comes back with a decline or a refund is what the song cost @night', async ({ visitOperator }) => {
  const [{ song: declined }, { song: delivered }] = [
    await paidSong('Dearer then'),
    await deliveredSong('Too dear'),
  ]
  const desk = await visitOperator()
  await answerPrice(desk.page, 12.5)
  await openDesk(desk, declined)
  await button(openSong(desk, declined), 'Decline').click()
  const declining = question(desk, 'Decline the request of Bola Ige?')
  await expect(declining.getByText('12.50 credits go back to Bola Ige.')).toBeVisible()
  await openDesk(desk, delivered)
  const open = openSong(desk, delivered)
  await open.getByText('Give the credits back').click()
  await open.getByRole('textbox', { name: /^Reason/ }).fill('no singer')
  await button(open, 'Refund credits').click()
  await expect(
    button(question(desk, 'Give 12.50 credits back to Bola Ige?'), 'Give 12.50 credits'),
  ).toBeVisible()
})
