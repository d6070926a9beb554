import { QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { queryClient } from '../src/api/queries.ts'
import { syncSession, signOut } from '../src/api/session.ts'

const listeners = vi.hoisted(() => {
  const listening: Record<string, (event: object) => void> = {}
  Object.assign(globalThis, {
    document: { querySelector: () => null },
    localStorage: { removeItem: () => {} },
    sessionStorage: {},
    addEventListener: (name: string, listener: (event: object) => void) => (listening[name] = listener),
  })
  return listening
})

afterEach(() => {
  queryClient.clear()
  vi.unstubAllGlobals()
})

/** Observes /api/me, whose responses the test resolves in the order it chooses. */
function observeMe() {
  const requests: PromiseWithResolvers<unknown>[] = []
  const observer = new QueryObserver<unknown>(queryClient, {
    queryKey: ['me'],
    queryFn: () => {
      requests.push(Promise.withResolvers())
      return requests.at(-1)!.promise
    },
  })
  observer.subscribe(() => {})
  return { requests, me: () => observer.getCurrentResult().data }
}

test('a response in flight during sign-out does not sign the person in again', async () => {
  const { requests, me } = observeMe()
  requests[0]!.resolve({ uid: 'ada' })
  await vi.waitFor(() => expect(me()).toEqual({ uid: 'ada' }), { timeout: 10_000 })
  void queryClient.invalidateQueries({ queryKey: ['me'] })
  vi.stubGlobal('fetch', async () => new Response(null, { status: 204 }))
  await signOut('ada')
  requests[1]!.resolve({ uid: 'ada' })
  await vi.waitFor(() => expect(queryClient.isFetching()).toBe(0), { timeout: 10_000 })
  expect(me()).toBeNull()
})

test('a first response in flight when another tab signs in is discarded', async () => {
  const { requests, me } = observeMe()
  syncSession()
  listeners['storage']!({ key: 'prelude-signed-in' })
  requests[0]!.resolve(null)
  requests[1]?.resolve({ uid: 'ada' })
  await vi.waitFor(() => expect(me()).toEqual({ uid: 'ada' }), { timeout: 10_000 })
})
