import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

/** Cookies of one host by name. */
export type Jar = Map<string, string>

export const cookieHeader = (jar: Jar): string =>
  [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

export function takeCookies(jar: Jar, { headers }: IncomingMessage): void {
  for (const line of headers['set-cookie'] ?? []) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '' || /max-age=0|1970/i.test(line)) jar.delete(name)
    else jar.set(name, value)
  }
}

/** A browser without scripts: keeps cookies by host and follows no redirects. */
export function browser() {
  const jars = new Map<string, Jar>()
  const cookies = (host: string): Jar => {
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    return jar
  }
  const go = async (address: string, form?: Record<string, string>) => {
    const url = new URL(address)
    const jar = cookies(url.host)
    const outgoing = request(address, {
      method: form ? 'POST' : 'GET',
      agent: false,
      headers: {
        cookie: cookieHeader(jar),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    })
    outgoing.end(form && new URLSearchParams(form).toString())
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    takeCookies(jar, response)
    const { location } = response.headers
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: Buffer.concat(chunks).toString(),
      location: location === undefined ? null : new URL(location, url).href,
      url: url.href,
    }
  }
  return { go, cookies }
}

export type Page = Awaited<ReturnType<ReturnType<typeof browser>['go']>>

/** Follows redirects to the page at their end. */
export async function follow(go: (address: string) => Promise<Page>, page: Page): Promise<Page> {
  let at = page
  while (at.location !== null) at = await go(at.location)
  return at
}

export const formAction = (page: Page): string => {
  const action = /<form[^>]*action="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
  return new URL(action ?? page.url, page.url).href
}
