import { press } from './checkout-page.ts'
import type { ProductProcess } from './product-process.ts'

export interface Answer<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: T
}

/** A person who signed in over plain HTTP, with a cookie jar. */
export interface Person {
  readonly uid: string
  readonly cookie: string
  get<T>(path: string): Promise<Answer<T>>
  send<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>
  post<T>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer<T>>
}

/** Cookies by name, for one host. */
function cookieJar(): { header(): string; take(response: Response): void } {
  const cookies = new Map<string, string>()
  return {
    header: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    take: (response) => {
      for (const line of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (name === undefined) continue
        if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
        else cookies.set(name, value ?? '')
      }
    },
  }
}

/** Signs in through the identity stand-in's plain form, as a browser without scripts would. */
export async function signIn(
  product: Pick<ProductProcess, 'endpoints'>,
  who: { email: string; name?: string; picture?: string; unverified?: boolean },
): Promise<Person> {
  const { web } = product.endpoints
  const jar = cookieJar()
  const identityJar = cookieJar()
  const go = async (
    url: URL,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
  ): Promise<Response> => {
    const own = url.origin === new URL(web).origin ? jar : identityJar
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...init.headers, cookie: own.header() },
    })
    own.take(response)
    return response
  }
  const follow = async (
    url: URL,
    init?: Parameters<typeof go>[1],
  ): Promise<{ url: URL; response: Response }> => {
    let response = await go(url, init)
    let at = url
    for (let hops = 0; response.status >= 300 && response.status < 400 && hops < 12; hops++) {
      at = new URL(response.headers.get('location') ?? '', at)
      response = await go(at)
    }
    return { url: at, response }
  }
  const login = await follow(new URL('/api/auth/login', web))
  const page = await login.response.text()
  const action = new URL(
    /<form[^>]*action="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? login.url.href,
    login.url,
  )
  const form = new URLSearchParams({
    email: who.email,
    name: who.name ?? '',
    ...(who.picture !== undefined && { picture: who.picture }),
    ...(who.unverified && { unverified: 'on' }),
  })
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
    form.set(name ?? '', value ?? '')
  const { url } = await follow(action, {
    method: 'POST',
    body: form.toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  if (url.searchParams.has('signin')) throw new Error(`sign-in refused: ${url.searchParams.get('signin')}`)
  const person = withJar(web, jar)
  const me = await person.get<{ uid: string }>('/api/me')
  if (me.status !== 200) throw new Error(`not signed in: ${me.status}`)
  return Object.assign(person, { uid: me.body.uid })
}

/** Unlocking changes the cookie: `cookie` is the current one, so a spread of the result would keep an old one. */
function withJar(web: string, jar: ReturnType<typeof cookieJar>): Omit<Person, 'uid'> {
  const send = async <T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> => {
    const raw = body instanceof FormData
    const response = await fetch(new URL(path, web), {
      method,
      headers: {
        cookie: jar.header(),
        ...(body !== undefined && !raw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? body : JSON.stringify(body) }),
    })
    jar.take(response)
    const text = await response.text()
    const isJson = (response.headers.get('content-type') ?? '').includes('json')
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as T,
    }
  }
  return {
    get cookie() {
      return jar.header()
    },
    send,
    get: (path) => send('GET', path),
    post: (path, body, headers) => send('POST', path, body, headers),
  }
}

/** Buys credits by card at the checkout stand-in; the credits are added soon after. */
export async function buyCredits(person: Person, amount: number): Promise<string> {
  const { body } = await person.post<{ url: string; id: string }>('/api/payments', { amount })
  await press(body, 'pay')
  return body.id
}
