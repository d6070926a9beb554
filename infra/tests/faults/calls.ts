import { randomUUID } from 'node:crypto'
import { eventually } from '@prelude/platform/eventually'
import { both } from '../support/audio-files.ts'
import { balanceIs } from '../support/checkout.ts'
import { buyCredits, type Person, signIn } from '../support/person.ts'
import type { Scene } from './scene.ts'

/** Requests of people to a product under a fault. */

export interface Reply<T> {
  /** 0: no answer. */
  readonly status: number
  readonly ms: number
  readonly body: T
  readonly location: string | null
}

interface Sending {
  readonly json?: unknown
  readonly form?: FormData
  readonly key?: string
}

/** A request without an answer after this time failed. */
const ANSWER_WITHIN_MS = 15_000
const UPLOAD_WITHIN_MS = 150_000

/** One request to the public endpoint; never rejects. */
export async function ask<T = { code?: string }>(
  { endpoints }: Pick<Scene, 'endpoints'>,
  person: Pick<Person, 'cookie'> | null,
  method: string,
  path: string,
  { json, form, key }: Sending = {},
): Promise<Reply<T>> {
  const began = performance.now()
  const body = form ?? (json === undefined ? undefined : JSON.stringify(json))
  try {
    const response = await fetch(new URL(path, endpoints.web), {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(form ? UPLOAD_WITHIN_MS : ANSWER_WITHIN_MS),
      headers: {
        ...(person && { cookie: person.cookie }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body }),
    })
    const { status, headers } = response
    const text = await response.text()
    const parsed = ((headers.get('content-type') ?? '').includes('json') ? JSON.parse(text) : text) as T
    return { status, ms: performance.now() - began, body: parsed, location: headers.get('location') }
  } catch {
    return { status: 0, ms: performance.now() - began, body: {} as T, location: null }
  }
}

/** Throws `sentence` unless `holds`. */
export function must(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new Error(sentence)
}

/** Waits until the request is answered with this status. */
export const answers = (scene: Scene, person: Person | null, path: string, status = 200): Promise<void> =>
  eventually(async () => {
    const reply = await ask(scene, person, 'GET', path)
    must(reply.status === status, `${path} answers ${reply.status}`)
  })

/** A new person with that many credits, which were bought. */
export async function someone(scene: Scene, credits = 0): Promise<Person> {
  const person = await signIn(scene, { email: `person-${randomUUID()}@example.test`, name: 'Ada Obi' })
  if (credits === 0) return person
  await buyCredits(person, credits)
  await balanceIs(person, credits)
  return person
}

export const people = (scene: Scene, count: number, credits = 0): Promise<Person[]> =>
  Promise.all(Array.from({ length: count }, () => someone(scene, credits)))

export const pay = (
  scene: Scene,
  person: Person,
): Promise<Reply<{ id: string; url: string; code?: string }>> =>
  ask(scene, person, 'POST', '/api/payments', { json: { amount: 25 } })

export const trySubmit = (scene: Scene, person: Person): Promise<Reply<{ id: string }>> =>
  ask(scene, person, 'POST', '/api/songs', { json: { lyrics: 'la', style: 'folk' } })

/** Fulfils a song with two files; a song that waits for credits becomes a gift. */
export const fulfil = (
  scene: Pick<Scene, 'endpoints'>,
  operator: Person,
  id: string,
): Promise<Reply<{ code?: string; detail?: string }>> =>
  ask(scene, operator, 'POST', `/api/operator/songs/${id}/fulfil?gift=true`, { form: both() })

/** Fulfils a song, again after each refusal; one whose answer was lost is ready already. */
export const makeReady = (scene: Scene, operator: Person, id: string): Promise<void> =>
  eventually(async () => {
    const { status, body } = await fulfil(scene, operator, id)
    must(status === 200 || body.code === 'song_already_ready', `fulfilling answers ${status} ${body.code}`)
  })
