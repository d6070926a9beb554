import { QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { queries } from '../src/api/queries.ts'
import { followSession, signOut } from '../src/api/session.ts'

const listeners = vi.hoisted(() => {
  const listening: Record<string, (event: object) => void> = {}
  Object.assign(globalThis, {
    document: { querySelector: () => null },
    localStorage: { removeItem: () => {} },
    addEventListener: (name: string, listener: (event: object) => void) => (listening[name] = listener),
  })
  return listening
})

afterEach(() => {
  queries.clear()
  vi.unstubAllGlobals()
})

/** Who the page takes to be here, as the answers come in the order in which the test gives them. */
function whoIsHere() {
  const asked: PromiseWithResolvers<unknown>[] = []
  const observer = new QueryObserver<unknown>(queries, {
    queryKey: ['me'],
    queryFn: () => {
      asked.push(Promise.withResolvers())
      return asked.at(-1)!.promise
    },
  })
  observer.subscribe(() => {})
  return { asked, me: () => observer.getCurrentResult().data }
}

test('an answer that was under way when a person signed out does not sign them in again', async () => {
  const { asked, me } = whoIsHere()
  asked[0]!.resolve({ uid: 'ada' })
  await vi.waitFor(() => expect(me()).toEqual({ uid: 'ada' }), { timeout: 10_000 })
  void queries.invalidateQueries({ queryKey: ['me'] })
  vi.stubGlobal('fetch', async () => new Response(null, { status: 204 }))
  await signOut()
  asked[1]!.resolve({ uid: 'ada' })
  await vi.waitFor(() => expect(queries.isFetching()).toBe(0), { timeout: 10_000 })
  expect(me()).toBeNull()
})

test('a first answer that was under way when another tab signed in is not what stays', async () => {
  const { asked, me } = whoIsHere()
  followSession()
  listeners['storage']!({ key: 'prelude-signed-in' })
  asked[0]!.resolve(null)
  asked[1]?.resolve({ uid: 'ada' })
  await vi.waitFor(() => expect(me()).toEqual({ uid: 'ada' }), { timeout: 10_000 })
})
