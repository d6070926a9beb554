import { createHash } from 'node:crypto'
import type { Song } from '@prelude/contracts'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { inspect } from './inspect.ts'
import { entry, item } from './steps.ts'
import { type Person, operator, person, request, tone } from './studio.ts'

let ada: Person
let song: Song
const take = tone(3, 220)

test.beforeAll(async () => {
  ada = await person()
  const { id } = await request(ada, 'First line', 'Long tones')
  const form = new FormData()
  form.set('version1', new File([take], 'take 1.wav'))
  form.set('version2', new File([tone(3, 440)], 'take 2.wav'))
  form.set('made', '{"1":{"how":"ai","with":"ACE-Step 1.5"}}')
  await (await operator()).send('POST', `/api/operator/songs/${id}/fulfil?gift=true`, form)
  song = (await ada.get<Song>(`/api/songs/${id}`)).body
})
const choose = (page: Page, name: string, buffer: Buffer) =>
  page.getByLabel('Check a file').setInputFiles({ name, mimeType: 'audio/wav', buffer })

test('anyone sees whether a licence is valid and whether a file is the one, and the file is not sent', async ({
  visit,
}) => {
  const visitor = await visit()
  const { page } = visitor
  await page.goto(song.certificate?.url ?? '', { waitUntil: 'networkidle' })
  await page.getByRole('heading', { level: 1, name: 'Licence' }).waitFor()
  await page.getByText('Valid', { exact: true }).waitFor()
  await page.getByText(createHash('sha256').update(take).digest('hex')).waitFor()
  await page.getByText('Made by AI (ACE-Step 1.5)').waitFor()
  await page.getByText('Not stated', { exact: true }).waitFor()
  const sent: string[] = []
  page.on('request', (asked) => {
    // another request cannot carry a file
    if (asked.method() !== 'GET') sent.push(`${asked.method()} ${asked.url()}`)
  })
  await choose(page, 'take 1.wav', take)
  await page.getByText('This is the file.').waitFor()
  await choose(page, 'other.wav', take.subarray(0, -1))
  await page.getByText('This is not the file.').waitFor()
  const files = await page.evaluateHandle((bytes) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([Uint8Array.from(bytes)], 'dropped.wav'))
    return transfer
  }, Array.from(take))
  await page.getByText('Check a file').dispatchEvent('drop', { dataTransfer: files })
  await page.getByText('This is the file.').waitFor()
  expect(sent).toEqual([])
  expect(visitor.errors).toEqual([])
  expect(await inspect(visitor, 'licence')).toEqual([])
})

test('a song leads to its licence, in the album and on its own page @night', async ({ visitAs }) => {
  const visitor = await visitAs(ada)
  const { page } = visitor
  const link = page.getByRole('link', { name: 'Licence', exact: true })
  await item(visitor, song.style).getByRole('button', { name: 'More' }).click()
  await expect(entry(item(visitor, song.style), 'Licence')).toHaveAttribute('href', /certificate\.pdf$/)
  await page.goto(`/songs/${song.id}`)
  const answer = await page.request.get(new URL((await link.getAttribute('href')) ?? '', page.url()).href)
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/pdf'])
})

test('a licence that is replaced is not valid, and an unknown one is not there @night', async ({ visit }) => {
  const form = new FormData()
  form.set('file', new File([tone(4, 330)], 'take.wav'))
  await (await operator()).send('PUT', `/api/operator/songs/${song.id}/versions/2`, form)
  const visitor = await visit()
  const { page } = visitor
  await page.goto(song.certificate?.url ?? '')
  await page.getByText('Not valid', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'The newer licence' }).click()
  await page.getByText('Valid', { exact: true }).waitFor()
  await page.goto('/verify/nope')
  await page.getByRole('heading', { name: 'There is no such licence.' }).waitFor()
})
