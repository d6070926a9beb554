import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Song } from '@prelude/contracts'
import { expect, inject, vi } from 'vitest'
import { type Answer, type Person, signIn } from '../support/person.ts'
import { press } from '../support/checkout-page.ts'
import { type Mail, mailsTo, onlyMail } from '../support/mailbox.ts'
import { wavHead } from '../support/wav.ts'

/** Preconditions of browser tests, made over the public API: people, credits and songs. */

export const FIXTURES = resolve(import.meta.dirname, '../../../services/storage/test/fixtures')

export const studio = () => inject('studio')

const product = () => ({ endpoints: studio() }) as unknown as Parameters<typeof signIn>[0]

/** A new e-mail address and name. */
export const newcomer = (name = 'Ada Obi') => ({ email: `${randomUUID()}@example.test`, name })

export type Known = Person & { readonly email: string; readonly name: string }

/** A person who signed in over the API; `visitAs` opens a browser with the session. */
export async function person(
  {
    email,
    name,
    picture,
  }: {
    email: string
    name: string
    picture?: string
  } = newcomer(),
): Promise<Known> {
  const who = { email, name, ...(picture !== undefined && { picture }) }
  return Object.assign(await signIn(product(), who), { email, name })
}

let unlocked: Promise<Person> | undefined

/** The operator, unlocked. */
export function operator(): Promise<Person> {
  unlocked ??= person({ email: studio().operator.email, name: 'The Operator' }).then(async (found) => {
    done(await found.post('/api/operator/unlock', { password: studio().operator.password }))
    return found
  })
  return unlocked
}

function done<T>(answer: Answer<T>): T {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

export async function give({ uid }: Person, credits: number): Promise<void> {
  const { password } = studio().operator // for large amounts
  const body = { uid, credits, reason: 'for a story', password }
  done(await (await operator()).post('/api/operator/credits', body))
}

const WITHIN = { timeout: 45_000, interval: 50 }
/** How long the analysis of audio may take, which has a low priority. */
export const ANALYSED = { timeout: 60_000, interval: 100 }

/** Pays by card and waits for the credits; answers the checkout session's id. */
export async function pay(payer: Person, amount: number): Promise<string> {
  const { url } = done(await payer.post<{ url: string }>('/api/payments', { amount }))
  await press({ url }, 'pay')
  await vi.waitFor(async () => {
    const { items } = done(await payer.get<{ items: object[] }>('/api/credits/entries'))
    expect(items[0]).toMatchObject({ amount, reason: 'top_up' })
  }, WITHIN)
  return new URL(url).pathname.split('/').at(-1) ?? ''
}

/** Submits a song and waits until its charge is decided. */
export async function request(owner: Person, lyrics: string, style: string): Promise<Song> {
  const { id } = done(await owner.post<Song>('/api/songs', { lyrics, style }))
  return vi.waitFor(async () => {
    const { body } = await owner.get<Song>(`/api/songs/${id}`)
    expect(body.charge).not.toBe('deciding')
    return body
  }, WITHIN)
}

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
  vi.waitFor(() => onlyMail(product(), address, subject), WITHIN)

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
