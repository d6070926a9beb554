import './browser.ts'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { call } from '../src/api/client.ts'
import { serverNow } from '../src/browser/server-clock.ts'
import { VISITOR_CATALOGUES } from '../src/languages.ts'
import { restoreLanguage } from '../src/messages.ts'

beforeAll(() => restoreLanguage(VISITOR_CATALOGUES))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** A server that never answers; the test ends the time of a request. */
function silence() {
  const time = new AbortController()
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal)
  vi.stubGlobal(
    'fetch',
    (_path: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
  )
  return { limit, passes: () => time.abort(new DOMException('timed out', 'TimeoutError')) }
}

const LOST = { status: 0, code: 'no_connection' }

test('a request without an answer within 30 seconds has lost its connection', async () => {
  const { limit, passes } = silence()
  const answer = call('GET /api/me')
  expect(limit).toHaveBeenCalledWith(30_000)
  passes()
  await expect(answer).rejects.toMatchObject(LOST)
})

test('a request that takes longer by its nature has its own limit', async () => {
  const { limit, passes } = silence()
  const answer = call('POST /api/operator/lock', { timeoutMs: 120_000 })
  expect(limit).toHaveBeenCalledWith(120_000)
  passes()
  await expect(answer).rejects.toMatchObject(LOST)
})

test('a request that its caller ends is no lost connection', async () => {
  silence()
  const caller = new AbortController()
  const answer = call('GET /api/me', caller)
  caller.abort(new Error('enough'))
  await expect(answer).rejects.toThrow('enough')
})

test('an address has the parameters of its path, and of its query what is not empty', async () => {
  const paths: string[] = []
  vi.stubGlobal('fetch', (path: string) => {
    paths.push(path)
    return Promise.resolve(Response.json({}))
  })
  const params = { id: 'a/b', n: 1 }
  await call('GET /api/songs/:id/versions/:n/waveform', { params })
  await call('GET /api/songs/:id/versions/:n/waveform', { params, query: { take: 2, cursor: '', q: 'a&b' } })
  expect(paths).toEqual([
    '/api/songs/a%2Fb/versions/1/waveform',
    '/api/songs/a%2Fb/versions/1/waveform?take=2&q=a%26b',
  ])
})

test('the time of the server is that of its last answer which no cache has kept', async () => {
  const answered = async (at: number, cacheControl: string): Promise<number> => {
    const headers = { date: new Date(at).toUTCString(), 'cache-control': cacheControl }
    vi.stubGlobal('fetch', async () => Response.json({}, { headers }))
    await call('GET /api/credits')
    return Math.round(Math.abs(serverNow() - at) / 10_000)
  }
  const yesterday = Date.now() - 86_400_000
  expect(await answered(yesterday, 'no-store')).toBe(0)
  expect(await answered(Date.now(), 'private, max-age=60')).toBe(8_640)
  expect(await answered(Date.now(), 'no-store')).toBe(0)
})
