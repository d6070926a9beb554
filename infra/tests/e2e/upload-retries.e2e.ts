import { expect, test, type OpenVisit } from './fixtures.ts'
import {
  arrived,
  chargedSong,
  choose,
  control,
  expectNothingTwice,
  input,
  upload,
  uploadDone,
  uploads,
  wav,
} from './operator-steps.ts'
import { message, type Visit } from './steps.ts'

/** What the desk says and does while a failed request of an upload waits to be sent again. The page's clock is the test's. */

const notice = (visitor: Visit) =>
  message(visitor, 'status', /^The connection failed\. Trying again…\s*\(next in \d+ s\)$/)

async function visitWithClock(visitOperator: OpenVisit, style: string): Promise<Visit> {
  const song = await chargedSong(style)
  const visitor = await visitOperator()
  await visitor.page.clock.install()
  await visitor.page.reload()
  await choose(visitor, song)
  return visitor
}

async function chooseLargeFiles(visitor: Visit): Promise<void> {
  for (const n of [1, 2] as const) await input(visitor, n).setInputFiles(wav(`${n}.wav`, 40, 220 * n))
}

test('the progress of one file does not hide that the other one is tried again; a pause does @night', async ({
  visitOperator,
}) => {
  const visitor = await visitWithClock(visitOperator, 'One of two fails')
  const { page } = visitor
  const released = Promise.withResolvers<void>()
  let lost: string | undefined
  let isFailing = true
  await page.route('**/api/operator/uploads/*', async (route) => {
    const one = route.request()
    if (one.method() !== 'PATCH' || !isFailing) return route.continue()
    lost ??= one.url()
    if (one.url() === lost) return route.abort()
    await released.promise
    await route.continue()
  })
  await chooseLargeFiles(visitor)
  await page.clock.pauseAt(Date.now() + 60_000)
  await upload(visitor).click()
  await notice(visitor).waitFor()
  released.resolve()
  await expect.poll(async () => [await arrived(visitor, 1), await arrived(visitor, 2)]).toContain(100)
  await expect(notice(visitor)).toHaveCount(1)

  const n = (await arrived(visitor, 1)) < 100 ? 1 : 2
  await control(visitor, 'Pause', n).click()
  await expect(message(visitor, 'status', 'Trying again…')).toHaveCount(0)
  isFailing = false
  await page.clock.resume()
  await control(visitor, 'Resume', n).click()
  await uploadDone(visitor)
})

test('a chunk on which nothing moves for a minute, as on a connection that died silently, is sent again @night', async ({
  visitOperator,
}) => {
  const visitor = await visitWithClock(visitOperator, 'Half open')
  const { page } = visitor
  const seen = uploads(visitor)
  const silent = new Set<string>()
  const said = Promise.withResolvers<void>()
  await page.route('**/api/operator/uploads/*', async (route) => {
    const one = route.request()
    if (one.method() === 'HEAD') await said.promise
    // without an answer
    else if (!silent.has(one.url())) return void silent.add(one.url())
    await route.continue()
  })
  await chooseLargeFiles(visitor)
  await upload(visitor).click()
  await expect.poll(() => silent.size).toBe(2)
  await page.clock.fastForward(50_000)
  await expect(message(visitor, 'status', 'Trying again…')).toHaveCount(0)
  await page.clock.fastForward(11_000)
  await message(visitor, 'status', 'The connection failed. Trying again…').waitFor()
  said.resolve()
  await uploadDone(visitor)
  expect(seen.created).toBe(2)
  expectNothingTwice(seen)
})
