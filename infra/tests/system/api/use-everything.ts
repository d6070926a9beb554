import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect } from 'vitest'
import { fulfil, MP3, upload } from '../../support/audio-files.ts'
import { giveCredits, mail, requestSong, somebody, unlockedOperator } from '../../support/callers.ts'
import { startCheckout } from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'
import type { ProductProcess } from '../../support/product-process.ts'

/** Uses every feature a little, so that every metric has a value. */
export async function useEverything(product: ProductProcess): Promise<void> {
  const operator = await unlockedOperator(product)
  const ada = await somebody(product, { name: 'Ada Obi' })
  const streaming = new AbortController()
  const stream = await fetch(`${product.endpoints.web}/api/live`, {
    headers: { cookie: ada.cookie },
    signal: streaming.signal,
  })

  const waited = await requestSong(ada)
  expect(waited.charge).toBe('declined')
  await press(await startCheckout(ada, 25), 'pay')
  await eventually(async () => {
    const { body } = await ada.call<Song>('GET', `/api/songs/${waited.id}`)
    expect(body.charge).toBe('charged')
  })
  const charged = await requestSong(ada)
  await giveCredits(operator, ada.uid, 20)
  await giveCredits(operator, ada.uid, -10)

  expect((await fulfil(operator, waited.id)).status).toBe(200)
  const json = { version1: await upload(operator, MP3), version2: await upload(operator, MP3) }
  const path = `/api/operator/songs/${charged.id}/fulfil`
  expect((await operator.call('POST', path, { json })).status).toBe(200)
  await eventually(async () => {
    expect((await ada.call('GET', `/api/songs/${waited.id}/versions/1/waveform`)).status).toBe(200)
  })
  for (const page of ['/api/songs', '/api/credits', '/api/me', `/api/songs/${waited.id}/versions/1`])
    expect((await ada.call('GET', page)).status).toBe(200)
  expect((await ada.call('GET', '/api/songs/nobody')).status).toBe(404)
  expect((await ada.call('GET', '/')).status).toBe(200)
  await mail(product, ada.email, /credits|receipt|payment/i).catch(() => {})
  streaming.abort()
  await stream.body?.cancel().catch(() => {})
}
