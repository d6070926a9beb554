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
  vi.stubGlobal('Notification', { permission: 'granted' })
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

test('a subscription that the browser replaced or the product has dropped is registered again', async () => {
  product(keyOf(251))
  await renewSubscription('ada')
  subscribed = null
  await renewSubscription('ada')
  expect([subscribed, browser.stored.get(KEPT)]).toEqual([keyOf(251), 'new'])
  const registered = `POST /api/push-subscriptions {"endpoint":"https://push.example/${keyOf(251)}"}`
  expect(calls).toEqual(['GET /api/push-key', registered, 'GET /api/push-key', registered])
})

test('who did not ask for pushes here, or took the permission back, is not subscribed', async () => {
  product(keyOf(251))
  await renewSubscription('eve')
  vi.stubGlobal('Notification', { permission: 'default' })
  await renewSubscription('ada')
  expect(calls).toEqual([])
})
