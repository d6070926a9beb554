import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { done, type Person, requestSong, signIn, unlockedOperator } from '../support/person.ts'
import { press } from '../support/checkout-page.ts'
import { type Mail, mailsTo, onlyMail } from '../support/mailbox.ts'
import type { ProductProcess } from '../support/product-process.ts'
import { wavHead } from '../../stand-ins/generator/wav.ts'

export type { Person } from '../support/person.ts'

/** Preconditions of browser tests, made over the public API: people, credits and songs. */

export const FIXTURES = resolve(import.meta.dirname, '../../../services/storage/test/fixtures')

let current: ProductProcess | undefined

/** The product of this worker. */
function product(): ProductProcess {
  if (!current) throw new Error('no product runs')
  return current
}

export function useProduct(running: ProductProcess): void {
  current = running
  unlocked = undefined
}

/** The addresses of the product, and its operator. */
export const studio = () => product().endpoints

/** A new e-mail address and name. */
export const newcomer = (name = 'Ada Obi') => ({ email: `${randomUUID()}@example.test`, name })

/** A person who signed in over the API; `visitAs` opens a browser with the session. */
export const person = (who: Parameters<typeof signIn>[1] = newcomer()): Promise<Person> =>
  signIn(product(), who)

let unlocked: Promise<Person> | undefined

/** The operator, unlocked. */
export const operator = (): Promise<Person> => (unlocked ??= unlockedOperator(product()))

export async function give({ uid }: Person, credits: number): Promise<void> {
  const { password } = studio().operator // for large amounts
  const body = { uid, credits, reason: 'for a story', password }
  done(await (await operator()).post('/api/operator/credits', body))
}

/** Pays by card and waits for the credits; answers the checkout session's id. */
export async function pay(payer: Person, amount: number): Promise<string> {
  const { url } = done(await payer.post<{ url: string }>('/api/payments', { amount }))
  await press({ url }, 'pay')
  await eventually(async () => {
    type Entries = { items: { amount: number; reason: string }[] }
    const [last] = done(await payer.get<Entries>('/api/credits/entries')).items
    if (last?.amount !== amount || last.reason !== 'top_up')
      throw new Error(`the last entry is ${JSON.stringify(last)}`)
  })
  return new URL(url).pathname.split('/').at(-1) ?? ''
}

export const request = (owner: Person, lyrics: string, style: string): Promise<Song> =>
  requestSong(owner, { lyrics, style })

/**
 * Fulfils a song with two tones, as a gift when it is not charged. By default they are long enough that what is only there
 * while one plays can be waited for.
 */
export async function fulfil(song: Song, seconds = 30): Promise<Song> {
  const form = new FormData()
  for (const n of [1, 2]) form.set(`version${n}`, new File([tone(seconds, 220 * n)], `take ${n}.wav`))
  const path = `/api/operator/songs/${song.id}/fulfil${song.charged ? '' : '?gift=true'}`
  return done(await (await operator()).send<Song>('POST', path, form))
}

/** The mails to an address, newest first. */
export const mails = (address: string): Promise<readonly Mail[]> => mailsTo(product(), address)

/** Waits for the mail with this subject; fails when there is more than one. */
export const mail = (address: string, subject: RegExp): Promise<Mail> =>
  eventually(() => onlyMail(product(), address, subject))

/** Waits until the version of a song is analysed, so that its waveform, length and loudness are there. */
export const analysed = (owner: Person, { id }: Pick<Song, 'id'>, n: 1 | 2): Promise<void> =>
  eventually(async () => void done(await owner.get(`/api/songs/${id}/versions/${n}/waveform`)))

/** Ends the session on the server, as another device can. */
export const endSession = (owner: Person) => owner.post('/api/auth/logout')

/** A tone of this length as a WAV file: valid audio of any size. */
export function tone(seconds: number, hertz = 220): Buffer<ArrayBuffer> {
  const rate = 8_000
  const samples = Math.round(seconds * rate)
  const file = Buffer.alloc(44 + samples * 2)
  wavHead(file.length, { rate, channels: 1, bits: 16 }).copy(file)
  for (let n = 0; n < samples; n++)
    file.writeInt16LE(Math.round(9_000 * Math.sin((2 * Math.PI * hertz * n) / rate)), 44 + n * 2)
  return file
}
