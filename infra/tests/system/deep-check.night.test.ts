import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { signIn } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'

const FIXTURES = resolve(import.meta.dirname, '../../../services/storage/test/fixtures')

test('a flipped bit in the store is found by a deep check, and only by it', async () => {
  await using product = await startProductProcess({ STARTING_CREDITS: '10' })
  const singer = await signIn(product, { email: 'singer@example.test', name: 'Singer' })
  const operator = await signIn(product, { email: product.endpoints.operator.email, name: 'Operator' })
  await operator.post('/api/operator/unlock', { password: product.endpoints.operator.password })
  const { body: song } = await singer.post<{ id: string }>('/api/songs', { lyrics: 'la', style: 'folk' })
  await eventually(async () => {
    const { body } = await singer.get<{ charge: string }>(`/api/songs/${song.id}`)
    expect(body.charge).toBe('charged')
  })
  const form = new FormData()
  for (const name of ['version1', 'version2'])
    form.set(name, new File([readFileSync(join(FIXTURES, 'cbr.mp3'))], `${name}.mp3`))
  expect((await operator.send('POST', `/api/operator/songs/${song.id}/fulfil`, form)).status).toBe(200)
  expect(product.checkInvariants('--deep')).toContain(' 0 broken')

  const blobs = join(product.dataDir, 'blobs')
  const [file = ''] = readdirSync(blobs, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.mp3'),
  )
  const bytes = readFileSync(join(blobs, file))
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(join(blobs, file), bytes)
  expect(product.checkInvariants()).toContain(' 0 broken')
  expect(() => product.checkInvariants('--deep')).toThrow(
    /BREACH storage: every object is the one that was placed: 1/,
  )
})
