import { createHash, randomUUID } from 'node:crypto'
import type { Payment, Share, Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect } from 'vitest'
import { fulfil } from '../support/audio-files.ts'
import { chargedSong, giveCredits, somebody } from '../support/callers.ts'
import { balanceIs, paymentLike, startCheckout } from '../support/checkout.ts'
import { press } from '../support/checkout-page.ts'
import { caller, done, type Person, requestSong, unlockedOperator } from '../support/person.ts'
import type { ProductProcess } from '../support/product-process.ts'

/** The trusted header that names the country. */
const NIGERIA = { 'cf-ipcountry': 'NG' }

/** What a person finds in an installation. */
export interface Found {
  readonly songs: readonly Song[]
  readonly [what: string]: unknown
}

export interface Installation {
  readonly operator: Person
  readonly ada: Person
  /** Reads everything that Ada has, as Ada and as those who have her link or her licence. */
  read(): Promise<Found>
}

const post = async <T>(person: Person, path: string, body: object = {}, headers = {}): Promise<T> =>
  done(await person.post<T>(path, body, { 'idempotency-key': randomUUID(), ...headers }))

/** An installation that was used: songs in every state, credits, payments of every kind, a link to share and a licence. */
export async function fillInstallation(product: ProductProcess): Promise<Installation> {
  const operator = await unlockedOperator(product)
  const ada = await somebody(product, { name: 'Ada Obi' })
  const card = await startCheckout(ada, 25)
  await press(card, 'pay')
  await balanceIs(ada, 25)
  await paymentLike(ada, card.id, { status: 'paid' })
  await startCheckout(ada, 30)
  const transfer = () => post<Payment>(ada, '/api/payments/naira-transfers', {}, NIGERIA)
  await post(operator, `/api/operator/transfers/${(await transfer()).id}/reject`, { reason: 'no money came' })
  await transfer()
  await giveCredits(operator, ada.uid, 55)

  const of = ({ id }: Song): string => `/api/songs/${id}`
  const asOperator = ({ id }: Song): string => `/api/operator/songs/${id}`
  const charged = () => chargedSong(ada)
  const ready = async (): Promise<Song> => done(await fulfil(operator, (await charged()).id))
  await charged()
  await post(operator, `${asOperator(await charged())}/start`)
  await post(ada, `${of(await charged())}/cancel`)
  await post(operator, `${asOperator(await charged())}/decline`, { reason: 'not this one' })
  await post(operator, `${asOperator(await charged())}/refund`, { reason: 'it takes too long' })
  await post(ada, `${of(await ready())}/changes`, { notes: [{ version: 1, text: 'slower' }] })
  await post(ada, `${of(await ready())}/accept`)
  const song = await ready()
  const share = await post<Share>(ada, `${of(song)}/shares`)
  await balanceIs(ada, 30)
  while ((await requestSong(ada)).charge !== 'declined');
  await eventually(async () => {
    for (const { id } of (await read()).songs.filter(({ status }) => status === 'ready'))
      expect((await ada.get(`/api/songs/${id}/versions/1/waveform`)).status).toBe(200)
  })

  async function read(): Promise<Found> {
    const get = async <T>(path: string): Promise<T> => done(await ada.get<T>(path))
    const anyone = caller(product)
    const token = share.url.split('/').at(-1)
    const audio = async (call: typeof anyone, path: string): Promise<string> => {
      const { status, bytes } = await call('GET', path)
      expect(status).toBe(200)
      return createHash('sha256').update(bytes).digest('hex')
    }
    const { items: songs } = await get<{ items: Song[] }>('/api/songs?limit=100')
    return {
      songs,
      credits: await get('/api/credits'),
      statement: await get('/api/credits/entries?limit=100'),
      payments: await get('/api/payments'),
      audio: await audio(ada.call, `${of(song)}/versions/1`),
      share: done(await anyone('GET', `/api/shares/${token}`)),
      sharedAudio: await audio(anyone, `/api/shares/${token}/versions/2`),
      licence: done(await anyone('GET', `/api/certificates/${song.certificate?.id}`)),
    }
  }
  return { operator, ada, read }
}
