import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { signIn } from '../support/person.ts'
import { startProductProcess } from '../support/product-process.ts'

/** Starts and stops of the whole product, each in a folder of its own. */

test('a second start on the same data is refused with one sentence, and the first goes on', async () => {
  await using product = await startProductProcess()
  const again = startProductProcess({ DATA_DIR: product.dataDir })
  await expect(again).rejects.toThrow(/Prelude is already running on/)
  expect((await fetch(product.endpoints.web)).status).toBe(200)
})

test('a SIGTERM ends it in order and leaves no process behind, also during a start', async () => {
  await using product = await startProductProcess()
  const at = (file: string): boolean => existsSync(join(product.dataDir, file))
  expect(await product.stop()).toBe(0)
  expect([at('endpoints.json'), at('prelude.pid')]).toEqual([false, false])
  const starting = product.start().catch(() => {}) // it may have become ready before
  await eventually(() => expect(at('prelude.pid')).toBe(true))
  expect(await product.stop()).toBe(0)
  await starting
  expect([at('endpoints.json'), at('prelude.pid')]).toEqual([false, false])
})

test('data and sessions survive a kill', async () => {
  await using product = await startProductProcess({ STARTING_CREDITS: '12.5' })
  const singer = await signIn(product, { email: 'singer@example.test', name: 'Ada Obi' })
  const { body: song } = await singer.post<{ id: string }>('/api/songs', { lyrics: 'la la', style: 'folk' })
  const read = async () => (await singer.get<object>(`/api/songs/${song.id}`)).body
  await eventually(async () => expect(await read()).toMatchObject({ lyrics: 'la la', charge: 'charged' }))
  await product.kill()
  await product.start()
  expect(await read()).toMatchObject({ lyrics: 'la la', charge: 'charged' })
  expect((await singer.get('/api/me')).body).toMatchObject({ uid: singer.uid, credits: 2.5 })
  expect((await signIn(product, { email: 'Singer@Example.test' })).uid).toBe(singer.uid)
})
