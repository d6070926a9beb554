import { expect, test } from './fixtures.ts'
import { choices, region } from './operator-steps.ts'
import { message, unlock } from './steps.ts'
import { studio } from './studio.ts'

/** The operator's pages while the server does not answer. */

test('operations connect again when their stream is silent, also one that never said anything @night', async ({
  visitOperator,
}) => {
  const visitor = await visitOperator()
  const { page } = visitor
  let streams = 0
  await page.route('**/api/operator/ops/live', (route) => (streams++ === 0 ? undefined : route.continue()))
  await page.clock.install()
  await page.goto('/ops')
  await expect.poll(() => streams).toBe(1)
  const disconnected = message(visitor, 'status', 'No connection to the server. Trying again…')
  const services = page.getByRole('region', { name: 'Services', exact: true })
  await page.clock.fastForward(13_000)
  await disconnected.waitFor()
  await page.clock.fastForward(3_000)
  await services.waitFor()
  await disconnected.waitFor({ state: 'detached' })
  // for the page nothing has come for longer than the server is ever silent
  await page.clock.fastForward(13_000)
  await disconnected.waitFor()
  await page.clock.fastForward(3_000)
  await disconnected.waitFor({ state: 'detached' })
  expect(streams).toBe(3)
})

test('the desk is unlocked and locked at once, also while it cannot be read who is signed in @night', async ({
  visitOperator,
}) => {
  const visitor = await visitOperator()
  await visitor.page.route('**/api/me', (route) => route.abort())
  await region(visitor).getByRole('button', { name: 'Lock', exact: true }).click()
  await region(visitor).getByRole('button', { name: 'Unlock' }).waitFor()
  await expect(choices(visitor)).toHaveCount(0)
  await unlock(visitor, studio().operator.password)
  await message(visitor, 'status', 'Admin mode enabled.').waitFor()
  await choices(visitor).waitFor()
  await region(visitor).getByRole('button', { name: 'Lock', exact: true }).waitFor()
})
