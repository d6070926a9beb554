import type { Browser, CDPSession, Page } from 'playwright-core'
import type { Person } from '../support/person.ts'

export const PHONE = { width: 360, height: 740 }
export const DESKTOP = { width: 1440, height: 900 }
/** How many times slower than this machine's the processor of a phone, or of an old laptop, is. */
export const SLOWER = 4

export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly devtools: CDPSession
}

/** A page in a browser context of its own, signed in at `url` if there is a person. */
export async function visit(
  browser: Browser,
  viewport: typeof PHONE,
  as?: { readonly url: string; readonly person: Pick<Person, 'cookie'> },
): Promise<Visit> {
  const context = await browser.newContext({ viewport })
  const page = await context.newPage()
  if (as) {
    const [name = '', ...value] = as.person.cookie.split('=')
    await context.addCookies([{ name, value: value.join('='), url: as.url }])
  }
  return {
    page,
    devtools: await context.newCDPSession(page),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Slows the processor of a page down, `SLOWER` times or back to once. */
export const slowDown = ({ devtools }: Visit, rate: number): Promise<unknown> =>
  devtools.send('Emulation.setCPUThrottlingRate', { rate })
