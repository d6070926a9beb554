import type { Song } from '@prelude/contracts'
import { expect, type OpenVisit, test } from './fixtures.ts'
import {
  arrived,
  bar,
  chargedSong,
  choose,
  CHUNK,
  chunksOf,
  control,
  expectNothingTwice,
  holdChunks,
  input,
  region,
  sent,
  upload,
  uploadDone,
  uploads,
  wav,
} from './operator-steps.ts'
import { message, type Visit } from './steps.ts'
import { FIXTURES } from './studio.ts'

/** Files above 262,144 bytes: resumable uploads in chunks, across pauses, reloads and network failures. */

/** Uploads two files of about 640 kB each for the song. */
async function send(visitor: Visit, song: Song): Promise<void> {
  await choose(visitor, song)
  await input(visitor, 1).setInputFiles(wav('one.wav', 40, 220))
  await input(visitor, 2).setInputFiles(wav('two.wav', 40, 440))
  await upload(visitor).click()
}

/** Begins an upload for a new song, whose chunks are held with more than a fifth of each file sent. */
async function beginUpload(visitOperator: OpenVisit, style: string) {
  const song = await chargedSong(style)
  const visitor = await visitOperator()
  const seen = uploads(visitor)
  const held = await holdChunks(visitor)
  await send(visitor, song)
  for (const n of [1, 2] as const) await expect.poll(() => arrived(visitor, n)).toBeGreaterThan(20)
  return { song, visitor, seen, held }
}

test('when one file is larger, both are sent in chunks that start at 262,144 bytes and double', async ({
  visitOperator,
}) => {
  const song = await chargedSong('One large file')
  const visitor = await visitOperator()
  const seen = uploads(visitor)
  const all = sent(visitor.page)
  const large = wav('large.wav', 130)
  await choose(visitor, song)
  await input(visitor, 1).setInputFiles(`${FIXTURES}/cbr.mp3`)
  await input(visitor, 2).setInputFiles(large)
  await upload(visitor).click()
  await uploadDone(visitor)
  const [small, big] = seen.all.toSorted((a, b) => a.offsets.length - b.offsets.length)
  expect(small?.offsets).toEqual([0])
  expect(big && chunksOf(big, large.buffer.length)).toEqual([
    CHUNK,
    2 * CHUNK,
    4 * CHUNK,
    large.buffer.length - 7 * CHUNK,
  ])
  expect(all.at(-1)?.postDataJSON()).toEqual({ version1: expect.any(String), version2: expect.any(String) })
  // what is stored to resume the uploads goes with the delivery
  expect(await visitor.page.evaluate(() => localStorage.getItem('prelude-uploads'))).toBeNull()
  expect(visitor.errors).toEqual([])
})

test('during an upload each file shows its progress, speed and remaining time @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Slowly')
  const visitor = await visitOperator()
  const slow = await visitor.context.newCDPSession(visitor.page)
  await slow.send('Network.enable')
  const throttle = (uploadThroughput: number) =>
    slow.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await throttle(40_000)
  await send(visitor, song)
  await message(visitor, 'status', 'Uploading both versions...').waitFor()
  await region(visitor)
    .getByText(/^\d+ % · \d+ kB\/s · \d+ s left$/)
    .first()
    .waitFor()
  await expect.poll(() => arrived(visitor, 1)).toBeGreaterThan(0)
  await expect(upload(visitor)).toHaveCount(0)
  await throttle(-1)
  await uploadDone(visitor)
  await bar(visitor, 1).waitFor({ state: 'detached' })
})

test('each file can be paused, resumed and cancelled; after a cancel the form still works', async ({
  visitOperator,
}) => {
  const { visitor, seen, held } = await beginUpload(visitOperator, 'Paused and cancelled')
  await control(visitor, 'Pause', 2).click()
  await control(visitor, 'Resume', 2).click()
  await control(visitor, 'Pause', 2).waitFor()
  await control(visitor, 'Cancel', 1).click()
  await message(visitor, 'alert', 'Upload cancelled.').waitFor()
  await bar(visitor, 1).waitFor({ state: 'detached' })
  await upload(visitor).waitFor()

  held.release()
  expect(seen.created).toBe(2)
  // once the request that delivers is under way, the server decides what a cancel can say
  const delivered = Promise.withResolvers<void>()
  const cancelled = Promise.withResolvers<void>()
  await visitor.page.route('**/fulfil*', async (route) => {
    const response = await route.fetch()
    delivered.resolve()
    await cancelled.promise
    await route.fulfill({ response })
  })
  await upload(visitor).click()
  await delivered.promise
  await control(visitor, 'Cancel', 1).click()
  await message(visitor, 'status', 'Asking the server').waitFor()
  cancelled.resolve()
  await message(visitor, 'status', 'It was delivered before it could be cancelled.').waitFor()
  await expect(message(visitor, 'alert', 'Upload cancelled.')).toHaveCount(0)
  // version 1 was cancelled and starts again, version 2 resumes
  expect(seen.created).toBe(3)
  expectNothingTwice(seen)
})

test('a delivery that is tried again once its files have arrived can be paused, resumed and cancelled @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Paused at the end')
  const visitor = await visitOperator()
  const seen = uploads(visitor)
  let attempts = 0
  let isDown = true
  const { page } = visitor
  await page.clock.install()
  await page.reload()
  await page.route('**/fulfil*', (route) => {
    attempts++
    return isDown ? route.abort() : route.continue()
  })
  await send(visitor, song)
  await message(visitor, 'status', /^The connection failed/).waitFor()
  await control(visitor, 'Pause', 1).click()
  await control(visitor, 'Resume', 2).waitFor()
  const before = attempts
  // the next attempt was due after 5 s at most
  for (let n = 0; n < 3; n++) await page.clock.runFor(5_000)
  expect(attempts).toBe(before)
  await control(visitor, 'Resume', 2).click()
  await expect.poll(() => attempts).toBeGreaterThan(before)
  await control(visitor, 'Cancel', 1).click()
  await message(visitor, 'alert', 'Upload cancelled.').waitFor()
  isDown = false
  await upload(visitor).click()
  await uploadDone(visitor)
  // a cancel deletes what had arrived
  expect(seen.created).toBe(4)
})

test('after a reload the same files for the same song resume at the server’s offset', async ({
  visitOperator,
}) => {
  const { visitor, seen, song, held } = await beginUpload(visitOperator, 'Reloaded')
  held.release()
  await visitor.page.reload()
  await send(visitor, song)
  await uploadDone(visitor)
  expect(seen.created).toBe(2)
  expectNothingTwice(seen)
  for (const { offsets } of seen.all) expect(offsets.filter((offset) => offset === 0)).toHaveLength(1)
})

test('after a network failure within a chunk the upload resumes, and no byte is sent twice', async ({
  visitOperator,
}) => {
  const { visitor, seen, held } = await beginUpload(visitOperator, 'Offline')
  await visitor.context.setOffline(true)
  await held.lose()
  await message(visitor, 'status', 'Connection lost. Trying again…').waitFor()
  await visitor.context.setOffline(false)
  await uploadDone(visitor)
  expect(seen.created).toBe(2)
  expectNothingTwice(seen)
})

test('a failed request for the offset is retried, a refused one ends the upload; neither starts again from zero @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Where was I')
  const visitor = await visitOperator()
  const { page } = visitor
  const seen = uploads(visitor)
  const held = await holdChunks(visitor)
  await send(visitor, song)
  for (const n of [1, 2] as const) await expect.poll(() => arrived(visitor, n)).toBeGreaterThan(20)
  const answers = [503, 503, 403]
  await page.route('**/api/operator/uploads/*', (route) => {
    const status = route.request().method() === 'HEAD' ? answers.shift() : undefined
    return status === undefined ? route.fallback() : route.fulfill({ status })
  })
  await held.lose()
  await message(visitor, 'alert', /^Upload failed\. Please try again\.$/).waitFor()
  expect(answers).toEqual([])
  await upload(visitor).click()
  await uploadDone(visitor)
  expect(seen.created).toBe(2)
  expectNothingTwice(seen)
})

test('an upload that the server no longer has is sent again from the start @night', async ({
  visitOperator,
}) => {
  const { visitor, seen, held } = await beginUpload(visitOperator, 'Swept away')
  await visitor.page.evaluate(
    (addresses) =>
      Promise.all(
        addresses.map((address) =>
          fetch(address, { method: 'DELETE', headers: { 'tus-resumable': '1.0.0' } }),
        ),
      ),
    seen.all.map(({ address }) => address),
  )
  await held.lose()
  await uploadDone(visitor)
  expect(seen.created).toBe(4)
})

test('an upload that is cancelled while its files are still checked is not started @night', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Cancelled early')
  const visitor = await visitOperator()
  const { page } = visitor
  const seen = uploads(visitor)
  await page.evaluate(() => {
    const digest = crypto.subtle.digest.bind(crypto.subtle)
    const held = new Promise((resolve) => Object.assign(globalThis, { look: resolve }))
    crypto.subtle.digest = (...args) => held.then(() => digest(...args))
  })
  await send(visitor, song)
  await control(visitor, 'Cancel', 1).click()
  await message(visitor, 'alert', 'Upload cancelled.').waitFor()
  await page.evaluate(() => (globalThis as unknown as { look(): void }).look())
  for (const n of [1, 2] as const) await input(visitor, n).setInputFiles(wav(`other ${n}.wav`, 40, 330 * n))
  await upload(visitor).click()
  await uploadDone(visitor)
  expect(seen.created).toBe(2)
})
