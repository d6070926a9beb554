import type { Locator, Page, Route } from 'playwright-core'
import { expect, vi } from 'vitest'
import { studio } from './studio.ts'
import type { Visit } from './steps.ts'

/**
 * Checks that every request of a page shows a loading state: each is held until its sign is visible, then released until
 * its result is visible.
 */

export interface Wait {
  readonly what: string
  /** The address of the request, and its method where another one has the same address. */
  readonly held: RegExp
  readonly method?: string
  readonly begin: (page: Page) => Promise<unknown>
  readonly sign: (page: Page) => Locator
  readonly result: (page: Page) => Locator
}

/** Timeout of a test with many requests. */
export const LONG_MS = 240_000
const ASKED = { timeout: 20_000, interval: 50 }

/** Collects the requests without a loading state, so that one run shows all of them. */
export async function expectSigns({ page }: Visit, waits: readonly Wait[]): Promise<void> {
  const missing: string[] = []
  for (const wait of waits) {
    const outcome = await follow(page, wait)
    if (outcome !== null) missing.push(`${wait.what}: ${outcome}`)
  }
  expect(missing.join('\n')).toBe('')
}

async function follow(page: Page, { held, method, begin, sign, result }: Wait): Promise<string | null> {
  const released = Promise.withResolvers<void>()
  let isAsked = false
  const hold = async (route: Route): Promise<void> => {
    if (method !== undefined && route.request().method() !== method) return route.fallback()
    isAsked = true
    await released.promise
    await route.fallback()
  }
  await page.route(held, hold)
  let at = 'begin'
  try {
    await begin(page)
    at = 'ask'
    await vi.waitFor(() => expect(isAsked).toBe(true), ASKED)
    at = 'show that it waits'
    await sign(page).waitFor()
    released.resolve()
    at = 'show its result'
    await result(page).waitFor()
    return null
  } catch (error) {
    return `did not ${at}: ${String(error).slice(0, 300)}`
  } finally {
    released.resolve()
    await page.unroute(held, hold)
  }
}

export const status = (page: Page, text: string | RegExp = 'Loading…'): Locator =>
  page.getByRole('status').filter({ hasText: text }).first()

export const busy = (control: Locator): Locator => control.and(control.page().locator('[aria-busy=true]'))
export const idle = (control: Locator): Locator =>
  control.and(control.page().locator(':not([aria-busy=true])'))

export const goto =
  (path: string) =>
  (page: Page): Promise<unknown> =>
    page.goto(`${studio().web}${path}`, { waitUntil: 'commit' })
export const click =
  (find: (page: Page) => Locator) =>
  (page: Page): Promise<unknown> =>
    find(page).click()
export const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first()
