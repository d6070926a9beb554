import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

/**
 * A browser without scripts: keeps cookies by host and does not follow redirects by itself. `reach` maps a public URL to the
 * one on this machine, in place of a proxy.
 */
export function browser(reach: (address: string) => string = (address) => address) {
  const jars = new Map<string, Map<string, string>>()
  const go = async (address: string, form?: Record<string, string>) => {
    const url = new URL(address)
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    const outgoing = request(reach(address), {
      method: form ? 'POST' : 'GET',
      agent: false,
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    })
    outgoing.end(form && new URLSearchParams(form).toString())
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0|1970/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    const { location } = response.headers
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text: Buffer.concat(chunks).toString(),
      location: location === undefined ? null : new URL(location, url).href,
      url: url.href,
    }
  }
  const cookies = (host: string): Map<string, string> => jars.get(host) ?? new Map()
  return { go, cookies }
}

export type Page = Awaited<ReturnType<ReturnType<typeof browser>['go']>>

/** Follows redirects to the identity provider and back to the callback; answers the callback's response. */
export async function toCallback(go: (address: string) => Promise<Page>, page: Page): Promise<Page> {
  let at = page
  while (at.location !== null && !at.url.includes('/api/auth/callback')) at = await go(at.location)
  return at
}

/** Follows the redirects from the login URL to the form. */
export async function toForm(go: (address: string) => Promise<Page>, login: string): Promise<Page> {
  let at = await go(login)
  while (at.location !== null) at = await go(at.location)
  return at
}

export const formAction = (page: Page): string => {
  const action = /<form[^>]*action="([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
  return new URL(action ?? page.url, page.url).href
}
