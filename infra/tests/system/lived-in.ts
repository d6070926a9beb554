import { randomUUID } from 'node:crypto'
import type { Payment } from '@prelude/contracts'
import { expect } from 'vitest'
import { both, fulfil } from '../support/audio-files.ts'
import { expectRefusal, requestSong, somebody, type Somebody } from '../support/callers.ts'
import { balanceIs, startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import type { ProductProcess } from '../support/product-process.ts'

/** The trusted header that names the country. */
export const COUNTRY = { 'cf-ipcountry': 'NG' }
/** The operator's words about the transfer. */
export const REJECTION = `rejected-${randomUUID()}`

/** A person's unique strings. */
export const planted = () => {
  const mark = randomUUID().slice(0, 8)
  return {
    email: `planted-address-${mark}@prelude.test`,
    name: `Planted-Name-${mark}`,
    given_name: `Planted-Given-Name-${mark}`,
    picture: `https://planted-picture-${mark}.test/a.png`,
    lyrics: `planted-lyrics-${mark}`,
    style: `planted-style-${mark}`,
    file: `planted-file-${mark}.mp3`,
    question: `planted-question-${mark}`,
    answer: `planted-answer-${mark}`,
  }
}

/** A person with a payment, a finished song and messages about it, a charged and a waiting one, a rejected transfer, and an open checkout. */
export async function livedIn(
  product: ProductProcess,
  operator: Somebody,
  texts: ReturnType<typeof planted>,
) {
  const person = await somebody(product, texts)
  const { lyrics, style } = texts
  const paid = await startCheckout(person, 25)
  await press(paid, 'pay')
  await balanceIs(person, 25)
  const ready = await requestSong(person, { lyrics, style })
  const names = both(texts.file, texts.file)
  expect((await fulfil(operator, ready.id, names)).status).toBe(200)
  const headers = { 'idempotency-key': randomUUID() }
  await person.call('POST', '/api/songs', { json: { lyrics: `${lyrics} kept`, style }, headers })
  const write = (who: Somebody, path: string, text: string) =>
    who.call('POST', path, { json: { text }, headers: { 'idempotency-key': randomUUID() } })
  const written = [
    await write(operator, `/api/operator/songs/${ready.id}/messages`, texts.question),
    await write(person, `/api/songs/${ready.id}/messages`, texts.answer),
  ]
  expect(written.map(({ status }) => status)).toEqual([201, 201])
  const waiting = await requestSong(person, { lyrics, style })
  expect(waiting.charge).toBe('declined')
  const refund = { json: { reason: 'as asked' }, headers: { 'idempotency-key': randomUUID() } }
  expectRefusal(
    await operator.call('POST', `/api/operator/songs/${waiting.id}/refund`, refund),
    409,
    'song_not_charged',
  )
  const sending = { json: {}, headers: COUNTRY }
  const transfer = await person.call<Payment>('POST', '/api/payments/naira-transfers', sending)
  const rejected = { json: { reason: REJECTION } }
  await operator.call('POST', `/api/operator/transfers/${transfer.body.id}/reject`, rejected)
  const open = await startCheckout(person, 30)
  return { person, ready, open, paid }
}

/** Closes the own account, with what the person confirms. */
export const close = (person: Somebody, credits: number, email = person.email) =>
  person.call('POST', '/api/account/close', { json: { email, credits } })
