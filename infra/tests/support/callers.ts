import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { PROBLEMS, type Problem, type Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { type Mail, onlyMail } from './mailbox.ts'
import { type Person, signIn } from './person.ts'
import { type ProductProcess, runningProduct, startProductProcess } from './product-process.ts'

export interface Reply<T> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Parsed JSON, else text. */
  readonly body: T
  readonly bytes: Buffer
}

export interface Sending {
  readonly headers?: Record<string, string | string[]>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent unchanged. */
  readonly raw?: string | Buffer | FormData
}

/** Calls the public endpoint with a person's cookie; the path is sent unchanged. */
export type Caller = <T = Problem>(method: string, path: string, sending?: Sending) => Promise<Reply<T>>

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

export const caller = (product: Pick<ProductProcess, 'endpoints'>, cookie?: string): Caller =>
  callerWith(product, cookie === undefined ? {} : { cookie })

/** Unlocking changes the cookie: `jar` holds the current one. */
const callerWith =
  (product: Pick<ProductProcess, 'endpoints'>, jar: { cookie?: string }): Caller =>
  async <T>(method: string, path: string, sending: Sending = {}) => {
    const { bytes, type } = await bodyOf(sending)
    const headers = {
      ...jar,
      ...(type !== undefined && { 'content-type': type }),
      ...(bytes && { 'content-length': String(bytes.length) }),
      ...sending.headers,
    }
    const { hostname, port } = new URL(product.endpoints.web)
    const outgoing = request({ hostname, port, method, path, headers, agent: false })
    outgoing.end(bytes)
    const [response] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage]
    for (const line of response.headers['set-cookie'] ?? []) {
      const [changed = ''] = /^(__Host-)?session=[^;]+/.exec(line) ?? []
      if (changed !== '') jar.cookie = changed
    }
    const content = await buffer(response)
    const isJson = /json/.test(response.headers['content-type'] ?? '') && content.length > 0
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: (isJson ? JSON.parse(content.toString('utf8')) : content.toString('utf8')) as T,
      bytes: content,
    }
  }

async function bodyOf({ json, raw }: Sending): Promise<{ bytes?: Buffer; type?: string }> {
  if (json !== undefined) return { bytes: Buffer.from(JSON.stringify(json)), type: 'application/json' }
  if (raw instanceof FormData) {
    const form = new Response(raw)
    return {
      bytes: Buffer.from(await form.arrayBuffer()),
      type: form.headers.get('content-type') ?? '',
    }
  }
  return raw === undefined ? {} : { bytes: Buffer.from(raw) }
}

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

export type Somebody = Omit<Person, 'get' | 'post' | 'send'> & {
  readonly email: string
  readonly call: Caller
}

/** Signs in a new person, or the owner of the address. */
export async function somebody(
  product: ProductProcess,
  who: { email?: string; name?: string; picture?: string } = {},
): Promise<Somebody> {
  const email = who.email ?? `person-${randomUUID()}@example.test`
  const { uid, cookie } = await signIn(product, { ...who, email, name: who.name ?? 'Ada Obi' })
  const jar = { cookie }
  return {
    uid,
    email,
    call: callerWith(product, jar),
    get cookie() {
      return jar.cookie
    },
  }
}

/** The operator in a new, unlocked session. */
export async function unlockedOperator(product: ProductProcess): Promise<Somebody> {
  const { email, password } = product.endpoints.operator
  const operator = await somebody(product, { email, name: 'Olu' })
  expect((await operator.call('POST', '/api/operator/unlock', { json: { password } })).status).toBe(204)
  return operator
}

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

/** Submits a song and waits until its charge is decided. */
export async function requestSong(
  person: Somebody,
  texts: { lyrics?: string; style?: string } = {},
): Promise<Song> {
  const json = { lyrics: 'la la', style: 'folk', ...texts }
  const { status, body } = await person.call<Song>('POST', '/api/songs', { json })
  expect(status).toBe(201)
  return eventually(async () => {
    const song = await person.call<Song>('GET', `/api/songs/${body.id}`)
    expect(song.body.charge).not.toBe('deciding')
    return song.body
  })
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
