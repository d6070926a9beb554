import { randomUUID } from 'node:crypto'
import { PROBLEMS, type Problem, type Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { both } from './audio-files.ts'
import { type Mail, onlyMail } from './mailbox.ts'
import { done, type Person, type Reply, requestSong, signIn } from './person.ts'
import { type ProductProcess, runningProduct, startProductProcess } from './product-process.ts'

export { caller, type Caller, type Reply, requestSong, type Sending, unlockedOperator } from './person.ts'
export type Somebody = Person

/** Starts one product for all tests of a file. */
export function productOfFile(
  env: Record<string, string> = {},
  options: { clock?: boolean } = {},
): () => ProductProcess {
  let product: ProductProcess | undefined
  beforeAll(async () => {
    product = await startProductProcess({ RATE_LIMITS: 'off', ...env }, options)
  })
  afterAll(() => product?.[Symbol.asyncDispose]())
  return () => product as ProductProcess
}

/** The one product of all tests of the project: they run beside each other, each with its own people and songs. */
export const sharedProduct = (): Promise<ProductProcess> => runningProduct(inject('product'))

/** Expects a problem document with this code, its sentence and the request's id, without internal details. */
export function expectRefusal(
  reply: Reply<unknown>,
  status: number,
  code: keyof typeof PROBLEMS,
  detail: string = PROBLEMS[code].detail,
): void {
  expect(reply.body).toMatchObject({ type: 'about:blank', status, code, detail })
  expect(reply.status).toBe(status)
  expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/)
  const { title, requestId } = reply.body as Problem
  expect(title).toMatch(/\w/)
  expect(requestId).toBe(reply.headers['x-request-id'])
}

/** Signs in a new person, or the owner of the address. */
export const somebody = (
  product: ProductProcess,
  who: { email?: string; name?: string; given_name?: string; picture?: string } = {},
): Promise<Somebody> =>
  signIn(product, { email: `person-${randomUUID()}@example.test`, name: 'Ada Obi', ...who })

/** Adds credits as the operator. */
export async function giveCredits(operator: Somebody, uid: string, credits: number): Promise<void> {
  const json = { uid, credits, reason: 'test' }
  expect((await operator.call('POST', '/api/operator/credits', { json })).status).toBe(200)
}

/** Submits a song; answers its id before its charge is decided. */
export async function submit(person: Somebody): Promise<string> {
  const json = { lyrics: randomUUID(), style: 'folk' }
  const { status, body } = await person.call<Song>('POST', '/api/songs', { json })
  expect(status).toBe(201)
  return body.id
}

/** Submits a song that is charged at once. */
export async function chargedSong(person: Somebody): Promise<Song> {
  const song = await requestSong(person, { lyrics: randomUUID() })
  expect(song.charge).toBe('charged')
  return song
}

/** A delivered song of a new person. */
export async function deliveredSong(
  product: ProductProcess,
  operator: Somebody,
  { name = 'Ada Obi', ...texts }: { name?: string; lyrics?: string; style?: string } = {},
): Promise<{ owner: Somebody; song: Song }> {
  const owner = await somebody(product, { name })
  await giveCredits(operator, owner.uid, 10)
  const { id } = await requestSong(owner, texts)
  const answer = await operator.call<Song>('POST', `/api/operator/songs/${id}/fulfil`, { raw: both() })
  return { owner, song: done(answer) }
}

/** Waits for the mail to this address with this subject; fails when it finds more than one. */
export const mail = (product: ProductProcess, address: string, subject: RegExp): Promise<Mail> =>
  eventually(() => onlyMail(product, address, subject))

/** Waits until every service has handled all events and no mail is waiting, so that no further effect is pending. */
export const settled = ({ endpoints }: ProductProcess): Promise<void> =>
  eventually(async () => {
    const pages = Object.values(endpoints.health).map(async (base) => (await fetch(`${base}/metrics`)).text())
    const gauges = (await Promise.all(pages)).flatMap((text) => [
      ...text.matchAll(/^(prelude_(?:consumer_lag|event_backlog|mail_queue_depth)(?:\{.*\})?) (\S+)$/gm),
    ])
    expect(gauges.length).toBeGreaterThan(0)
    expect(gauges.filter(([, , value]) => Number(value) > 0).map(([sample]) => sample)).toEqual([])
  })
