import { RECENT_INPUT_HEADER } from '@prelude/contracts'
import { expect, test } from './fixtures.ts'
import {
  bar,
  chargedSong,
  choices,
  choose,
  CHUNK,
  control,
  input,
  region,
  sent,
  upload,
  uploadDone,
  wav,
} from './operator-steps.ts'
import { message, unlock } from './steps.ts'
import { FIXTURES, give, newcomer, operator, person, request, studio } from './studio.ts'

test('only the operator sees the operator region, which has a labelled password field and no form before the unlock', async ({
  visitAs,
}) => {
  const other = await visitAs(await person())
  await expect(region(other)).toHaveCount(0)

  const { email, password } = studio().operator
  const visitor = await visitAs(await person({ email, name: 'The Operator' }))
  const field = region(visitor).getByLabel('Admin password')
  await expect(field).toHaveAttribute('type', 'password')
  await expect(visitor.page.locator('input[type=file]')).toHaveCount(0)
  await unlock(visitor, 'not this one')
  await message(visitor, 'alert', /^Wrong admin password\.$/).waitFor()
  await unlock(visitor, password)
  await message(visitor, 'status', /^Admin mode enabled\.$/).waitFor()
  await expect(choices(visitor)).toHaveValue('')
  for (const n of [1, 2] as const) await expect(input(visitor, n)).toHaveAttribute('accept', /audio/)
  await visitor.page.reload()
  await choices(visitor).waitFor()
  await region(visitor).getByRole('button', { name: 'Lock', exact: true }).click()
  await field.waitFor()
  await expect(visitor.page.locator('input[type=file]')).toHaveCount(0)
})

test('requests say whether somebody used the page lately, and input makes one that keeps the unlock @night', async ({
  visitOperator,
}) => {
  const visitor = await visitOperator()
  const { page } = visitor
  await page.clock.install()
  await page.reload()
  await choices(visitor).waitFor()
  const background = async (): Promise<string | undefined> => {
    const asked = page.waitForRequest('**/api/credits/debt')
    await give(await operator(), 1)
    return (await asked).headers()[RECENT_INPUT_HEADER]
  }
  expect(await background()).toBeUndefined()
  await page.keyboard.press('Shift')
  expect(await background()).toBe('1')
  await page.clock.fastForward('06:00')
  expect(await background()).toBeUndefined()
  const kept = page.waitForRequest(
    (asked) => asked.url().endsWith('/api/me') && asked.headers()[RECENT_INPUT_HEADER] === '1',
  )
  await page.keyboard.press('Shift')
  await kept
})

test('an option shows style and lyrics at 40 code points each; Upload shows what is missing or wrong', async ({
  visitOperator,
}) => {
  const song = await chargedSong(`${'🎷'.repeat(40)}x`, `${'🎶'.repeat(40)}x`)
  const visitor = await visitOperator()
  await expect(choices(visitor)).toHaveValue('')
  await choices(visitor)
    .getByRole('option', { name: new RegExp(`^${'🎷'.repeat(40)}….*[^🎶]${'🎶'.repeat(40)}…$`, 'u') })
    .waitFor({ state: 'attached' })
  await upload(visitor).click()
  await message(visitor, 'alert', /^Select a song ID to upload to\.$/).waitFor()
  await choose(visitor, song)
  await input(visitor, 1).setInputFiles(`${FIXTURES}/cbr.mp3`)
  await upload(visitor).click()
  await message(visitor, 'alert', /^Upload both Version 1 and Version 2 MP3 files\.$/).waitFor()
  await input(visitor, 2).setInputFiles({
    name: 'note.mp3',
    mimeType: 'audio/mpeg',
    buffer: Buffer.from('not a song'),
  })
  await upload(visitor).click()
  await message(
    visitor,
    'alert',
    /^Version \d \(.+\): This is not an audio file\. Export it as MP3/,
  ).waitFor()
  await visitor.page.route('**/fulfil*', (route) =>
    route.fulfill({
      status: 404,
      contentType: 'application/problem+json',
      json: { code: 'song_not_found', detail: 'Song not found in database.' },
    }),
  )
  await upload(visitor).click()
  await message(visitor, 'alert', /^Song not found in database\.$/).waitFor()
})

test('two small files are sent in one request, which is retried after a 5xx but not after a refusal', async ({
  visitOperator,
}) => {
  const song = await chargedSong('Two small files')
  const visitor = await visitOperator()
  const { page } = visitor
  const all = sent(page)
  const answers = [400, 503]
  await page.route('**/fulfil*', (route) => {
    const status = answers.shift()
    return status === undefined ? route.continue() : route.fulfill({ status, body: '' })
  })
  await choose(visitor, song)
  await input(visitor, 1).setInputFiles(`${FIXTURES}/cbr.mp3`)
  const exact = wav('exact.wav', (CHUNK - 44) / 16_000)
  expect(exact.buffer).toHaveLength(CHUNK)
  await input(visitor, 2).setInputFiles(exact)
  await upload(visitor).click()
  await message(visitor, 'alert', /^Upload failed\. Please try again\.$/).waitFor()
  expect(all).toHaveLength(1)
  await upload(visitor).click()
  await uploadDone(visitor)
  expect(all.map((one) => one.method())).toEqual(['POST', 'POST', 'POST'])
  expect(all.every((one) => one.headers()['content-type']?.startsWith('multipart/form-data'))).toBe(true)
  await expect(choices(visitor)).toHaveValue('')
  for (const n of [1, 2] as const) await expect(input(visitor, n)).toHaveValue('')
})

for (const lost of ['by the network', 'by a pause'] as const)
  test(`a request whose answer was lost ${lost} has its effect and shows no failure`, async ({
    visitOperator,
  }) => {
    const song = await chargedSong(`Lost ${lost}`)
    const visitor = await visitOperator()
    const arrived = Promise.withResolvers<void>()
    await visitor.page.route(
      '**/fulfil*',
      async (route) => {
        await route.fetch()
        arrived.resolve()
        if (lost === 'by the network') await route.abort()
      },
      { times: 1 },
    )
    await choose(visitor, song)
    await input(visitor, 1).setInputFiles(`${FIXTURES}/cbr.mp3`)
    await input(visitor, 2).setInputFiles(`${FIXTURES}/tone.flac`)
    await upload(visitor).click()
    await arrived.promise
    if (lost === 'by a pause') {
      await control(visitor, 'Pause', 1).click()
      await control(visitor, 'Resume', 1).click()
    }
    await uploadDone(visitor)
    await bar(visitor, 1).waitFor({ state: 'detached' })
  })

test('a song that is not charged shows that, and can be fulfilled only as a gift', async ({
  visitOperator,
}) => {
  const song = await request(await person(newcomer()), 'la', 'Not paid for')
  const visitor = await visitOperator()
  await choices(visitor)
    .getByRole('option', { name: /not charged.*Not paid for/ })
    .waitFor({ state: 'attached' })
  await choose(visitor, song)
  await region(visitor).getByText('Not charged.').waitFor()
  await input(visitor, 1).setInputFiles(`${FIXTURES}/cbr.mp3`)
  await input(visitor, 2).setInputFiles(`${FIXTURES}/tone.flac`)
  await upload(visitor).click()
  await message(visitor, 'alert', /^This song is not charged\.$/).waitFor()
  await region(visitor).getByRole('checkbox', { name: /gift/ }).check()
  await upload(visitor).click()
  await uploadDone(visitor)
})
