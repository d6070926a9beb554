import { browser } from './browser.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { renewSubscription } from '../src/features/account/push.ts'

/** A browser with one subscription for pushes, and the product whose key it is compared with. */

const KEPT = 'prelude-push:ada'
const keyOf = (byte: number): string => Buffer.alloc(65, byte).toString('base64url')

let subscribed: string | null
let calls: string[]

beforeEach(() => {
  subscribed = keyOf(251)
  calls = []
  const subscription = () =>
    subscribed === null
      ? null
      : {
          options: { applicationServerKey: Uint8Array.from(Buffer.from(subscribed, 'base64url')).buffer },
          unsubscribe: async () => {
            subscribed = null
            return true
          },
          toJSON: () => ({ endpoint: `https://push.example/${subscribed}` }),
        }
  const pushManager = {
    getSubscription: async () => subscription(),
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => {
      if (subscribed !== null && subscribed !== applicationServerKey) throw new Error('another key')
      subscribed = applicationServerKey
      return subscription()
    },
  }
  vi.stubGlobal('navigator', { serviceWorker: { getRegistration: async () => ({ pushManager }) } })
  vi.stubGlobal('PushManager', Object)
  vi.stubGlobal('Notification', Object)
  browser.stored.set(KEPT, 'old')
})

afterEach(() => {
  browser.stored.delete(KEPT)
  vi.unstubAllGlobals()
})

/** The product has this key. */
function product(publicKey: string): void {
  vi.stubGlobal(
    'fetch',
    async (path: string, { method = 'GET', body }: { method?: string; body?: string }) => {
      calls.push([method, path, ...(body === undefined ? [] : [body])].join(' '))
      return Response.json(method === 'GET' ? { publicKey } : { id: 'new' })
    },
  )
}

test("a browser whose subscription names another key than the product's subscribes again at start", async () => {
  product(keyOf(4))
  await renewSubscription('ada')
  expect([subscribed, browser.stored.get(KEPT)]).toEqual([keyOf(4), 'new'])
  expect(calls).toEqual([
    'GET /api/push-key',
    `POST /api/push-subscriptions {"endpoint":"https://push.example/${keyOf(4)}"}`,
  ])
})

test('a subscription with the key of the product stays, and a browser without one asks for nothing', async () => {
  product(keyOf(251))
  await renewSubscription('ada')
  expect([subscribed, browser.stored.get(KEPT)]).toEqual([keyOf(251), 'old'])
  expect(calls).toEqual(['GET /api/push-key'])
  await renewSubscription('eve')
  subscribed = null
  await renewSubscription('ada')
  expect(calls).toHaveLength(1)
})
