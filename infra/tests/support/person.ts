import { once } from 'node:events'
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Problem, Song } from '@prelude/contracts'
import { eventually, WAIT_MS } from '@prelude/platform/eventually'
import { press } from './checkout-page.ts'
import { browser, cookieHeader, follow, formAction, type Jar, takeCookies } from './plain-browser.ts'
import type { ProductProcess } from './product-process.ts'

/** People who use a product over plain HTTP, and what they do; also for the tests of Playwright, so without vitest. */

type Product = Pick<ProductProcess, 'endpoints'>

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

/** Calls the public endpoint; the path is sent unchanged, and redirects are not followed. */
export type Caller = <T = Problem>(method: string, path: string, sending?: Sending) => Promise<Reply<T>>

export interface Person {
  readonly uid: string
  readonly email: string
  readonly name: string
  /** The current one: unlocking changes it, so a spread of a person would keep an old one. */
  readonly cookie: string
  readonly call: Caller
  get<T>(path: string): Promise<Reply<T>>
  post<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<T>>
  send<T>(method: string, path: string, body?: unknown): Promise<Reply<T>>
}

/** Somebody with this cookie, or a visitor. */
export function caller(product: Product, cookie?: string): Caller {
  const [name = '', ...value] = cookie?.split('=') ?? []
  return callerWith(product, new Map(cookie === undefined ? [] : [[name, value.join('=')]]))
}

const callerWith =
  ({ endpoints }: Product, jar: Jar): Caller =>
  async <T>(method: string, path: string, sending: Sending = {}) => {
    const { bytes, type } = await bodyOf(sending)
    const headers = {
      ...(jar.size > 0 && { cookie: cookieHeader(jar) }),
      ...(type !== undefined && { 'content-type': type }),
      ...(bytes && { 'content-length': String(bytes.length) }),
      ...sending.headers,
    }
    const { hostname, port } = new URL(endpoints.web)
    const outgoing = request({
      hostname,
      port,
      method,
      path,
      headers,
      agent: false,
      timeout: WAIT_MS,
    })
    let awaited: ClientRequest | IncomingMessage = outgoing
    // without a byte: a large archive may take longer as a whole
    outgoing.on('timeout', () => awaited.destroy(new Error('the answer does not go on')))
    outgoing.end(bytes)
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    awaited = response
    takeCookies(jar, response)
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

/** Signs in a new person, or the owner of the address, through the plain form of the identity stand-in. */
export async function signIn(
  product: Product,
  { email, name = '', ...more }: { email: string; name?: string; given_name?: string; picture?: string },
): Promise<Person> {
  const { web } = product.endpoints
  const { go, cookies } = browser()
  const login = await follow(go, await go(`${web}/api/auth/login`))
  const hidden = [...login.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const form = Object.fromEntries(hidden.map(([, field = '', value = '']) => [field, value]))
  const { url } = await follow(go, await go(formAction(login), { email, name, ...more, ...form }))
  const refusal = new URL(url).searchParams.get('signin')
  if (refusal !== null) throw new Error(`sign-in refused: ${refusal}`)
  const jar = cookies(new URL(web).host)
  const call = callerWith(product, jar)
  const send: Person['send'] = (method, path, body) =>
    call(method, path, body instanceof FormData ? { raw: body } : { json: body })
  return {
    uid: done(await call<{ uid: string }>('GET', '/api/me')).uid,
    email,
    name,
    get cookie() {
      return cookieHeader(jar)
    },
    call,
    send,
    get: (path) => call('GET', path),
    post: (path, body, headers = {}) => call('POST', path, { json: body, headers }),
  }
}

/** The body of an answer. Errors: it is a refusal. */
export function done<T>({ status, body }: Reply<T>): T {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** The operator in a new, unlocked session. */
export async function unlockedOperator(product: Product): Promise<Person> {
  const { email, password } = product.endpoints.operator
  const operator = await signIn(product, { email, name: 'The Operator' })
  done(await operator.post('/api/operator/unlock', { password }))
  return operator
}

/** Submits a song and waits until its charge is decided. */
export async function requestSong(
  person: Person,
  texts: { lyrics?: string; style?: string } = {},
): Promise<Song> {
  const { id } = done(await person.post<Song>('/api/songs', { lyrics: 'la la', style: 'folk', ...texts }))
  return eventually(async () => {
    const { body } = await person.get<Song>(`/api/songs/${id}`)
    if (body.charge === 'deciding') throw new Error('the charge is not decided')
    return body
  })
}

/** All songs of a person, page by page. */
export async function allSongs(person: Pick<Person, 'get'>): Promise<Song[]> {
  const songs: Song[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const path: string = `/api/songs?limit=100${cursor && `&cursor=${cursor}`}`
    const page = done(await person.get<{ items: Song[]; nextCursor: string | null }>(path))
    songs.push(...page.items)
    cursor = page.nextCursor
  }
  return songs
}

/** Buys credits by card at the checkout stand-in; the credits are added soon after. Answers the payment's id. */
export async function buyCredits(person: Person, amount: number): Promise<string> {
  const started = done(await person.post<{ url: string; id: string }>('/api/payments', { amount }))
  await press(started, 'pay')
  return started.id
}
