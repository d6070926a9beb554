import { browser } from './browser.ts'
import type { Preferences } from '@prelude/contracts'
import { QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { meQuery, SIGNED_IN_KEY } from '../src/api/me.ts'
import { putPreferences } from '../src/api/preferences.ts'
import { putSong } from '../src/api/songs.ts'
import { queryClient } from '../src/api/query-client.ts'
import { syncSession } from '../src/api/session.ts'
import { signOut } from '../src/api/sign-out.ts'
import { VISITOR_CATALOGUES } from '../src/languages.ts'
import { restoreLanguage } from '../src/messages.ts'
import { heldApi, song } from './held-api.ts'

beforeAll(async () => {
  await restoreLanguage(VISITOR_CATALOGUES)
  syncSession(() => {})
})
afterEach(() => {
  queryClient.clear()
  browser.stored.clear()
  vi.unstubAllGlobals()
})

const NOT_SIGNED_IN = { code: 'not_signed_in', detail: 'Please sign in first.' }
const PREFERENCES: Preferences = {
  mail: { ready: true, charged: true, late: true, receipts: true },
  push: false,
  language: null,
}

function observeMe() {
  const observer = new QueryObserver(queryClient, meQuery)
  observer.subscribe(() => {})
  return () => observer.getCurrentResult().data
}

test('the person signed in last is stored for the next first paint; another person finds no data of the last one', async () => {
  const api = heldApi()
  const me = observeMe()
  api.answer(0, { uid: 'ada' })
  await expect.poll(() => me()).toEqual({ uid: 'ada' })
  expect(browser.stored.get(SIGNED_IN_KEY)).toBe('ada')
  queryClient.setQueryData(['credits'], { balance: 10 })
  void queryClient.invalidateQueries(meQuery)
  await expect.poll(() => api.paths).toEqual(['/api/me', '/api/me'])
  api.answer(1, { uid: 'bola' })
  await expect.poll(() => me()).toEqual({ uid: 'bola' })
  expect(browser.stored.get(SIGNED_IN_KEY)).toBe('bola')
  expect(queryClient.getQueryData(['credits'])).toBeUndefined()
})

test('an answer for a person who has signed out is not shown to the next one', async () => {
  const api = heldApi()
  const me = observeMe()
  api.answer(0, { uid: 'ada' })
  await expect.poll(() => me()).toEqual({ uid: 'ada' })
  void queryClient.invalidateQueries(meQuery)
  await expect.poll(() => api.paths).toHaveLength(2)
  api.answer(1, NOT_SIGNED_IN, 401)
  // one refusal is not believed
  await expect.poll(() => api.paths).toHaveLength(3)
  api.answer(2, NOT_SIGNED_IN, 401)
  await expect.poll(() => me()).toBeNull()
  // what was asked for before comes between the two
  const others = { ...PREFERENCES, push: true }
  queryClient.setQueryData(['payments'], { items: [] })
  putSong(song(1, { uid: 'ada' }))
  expect(queryClient.getQueryData(['song', 'id-1'])).toBeUndefined()
  void queryClient.invalidateQueries(meQuery)
  await expect.poll(() => api.paths).toHaveLength(4)
  api.answer(3, { uid: 'bola' })
  await expect.poll(() => me()).toEqual({ uid: 'bola' })
  expect(queryClient.getQueryData(['payments'])).toBeUndefined()
  // or after both
  queryClient.setQueryData(['preferences'], others)
  putPreferences('ada', PREFERENCES)
  expect(queryClient.getQueryData(['preferences'])).toEqual(others)
  putPreferences('bola', PREFERENCES)
  expect(queryClient.getQueryData(['preferences'])).toEqual(PREFERENCES)
})

test('a visitor is nobody', async () => {
  const api = heldApi()
  const me = observeMe()
  browser.stored.set(SIGNED_IN_KEY, 'ada')
  api.answer(0, NOT_SIGNED_IN, 401)
  await expect.poll(() => me()).toBeNull()
  expect(browser.stored.has(SIGNED_IN_KEY)).toBe(false)
})

test('a response in flight during sign-out does not sign the person in again, here or at the next first paint', async () => {
  const api = heldApi()
  const me = observeMe()
  api.answer(0, { uid: 'ada' })
  await expect.poll(() => me()).toEqual({ uid: 'ada' })
  void queryClient.invalidateQueries(meQuery)
  const signingOut = signOut('ada')
  await expect.poll(() => api.paths).toEqual(['/api/me', '/api/me', '/api/auth/logout'])
  api.answer(2, null, 204)
  await signingOut
  api.answer(1, { uid: 'ada' })
  await expect.poll(() => queryClient.isFetching()).toBe(0)
  // the held response is read in the microtasks after it came
  await new Promise((resolve) => setImmediate(resolve))
  expect(me()).toBeNull()
  expect(browser.stored.has(SIGNED_IN_KEY)).toBe(false)
})

test('a first response in flight when another tab signs in is followed by another one', async () => {
  const api = heldApi()
  const me = observeMe()
  browser.listeners['storage']!({ key: SIGNED_IN_KEY })
  api.answer(0, NOT_SIGNED_IN, 401)
  await expect.poll(() => api.paths).toHaveLength(2)
  api.answer(1, { uid: 'ada' })
  await expect.poll(() => me()).toEqual({ uid: 'ada' })
})

test('a sign-out removes what this browser kept of the person, and of nobody else', async () => {
  const api = heldApi()
  const kept: Record<string, string> = { 'prelude-draft:ada': '{"lyrics":"la"}', 'prelude-draft:bola': '{}' }
  const removeItem = (key: string): void => void delete kept[key]
  vi.stubGlobal('sessionStorage', new Proxy(kept, { get: () => removeItem }))
  const signingOut = signOut('ada')
  await expect.poll(() => api.paths).toEqual(['/api/auth/logout'])
  expect(kept).toHaveProperty('prelude-draft:ada')
  api.answer(0, null, 204)
  await signingOut
  expect(Object.keys(kept)).toEqual(['prelude-draft:bola'])
})
