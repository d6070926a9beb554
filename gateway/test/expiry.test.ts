import { afterEach, expect, test, vi } from 'vitest'
import { creditsStub, songsStub } from './stand-ins.ts'
import { ADA, OPERATOR, PASSWORD, startGateway } from './start-gateway.ts'

/** What ends by itself. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const services = { songs: songsStub().routes, credits: creditsStub().routes }

/** Moves the clock of this process, by which the key-value store lets entries expire. */
const later = (ms: number): void => void vi.setSystemTime(Date.now() + ms)
afterEach(() => void vi.useRealTimers())

test('after five wrong passwords the right one is accepted again 15 minutes after the first', async () => {
  await using gateway = await startGateway({ services })
  const operator = await gateway.signIn(OPERATOR)
  const unlock = async (password: string): Promise<number> =>
    (await operator.post('/api/operator/unlock', { password })).status
  for (let n = 0; n < 5; n++) expect(await unlock('wrong')).toBe(403)
  later(14 * MINUTE_MS)
  expect(await unlock(PASSWORD)).toBe(429)
  later(2 * MINUTE_MS)
  expect(await unlock(PASSWORD)).toBe(204)
})

test('a session ends after 7 days without a call, and after 30 days also when it is used', async () => {
  await using gateway = await startGateway({ services })
  const [idle, busy] = [await gateway.signIn(ADA), await gateway.signIn(ADA)]
  const statuses = async (): Promise<number[]> =>
    Promise.all([idle, busy].map(async (browser) => (await browser.get('/api/me')).status))
  for (let day = 6; day < 30; day += 6) {
    later(6 * DAY_MS)
    expect((await busy.get('/api/me')).status).toBe(200)
    if (day === 6) later(DAY_MS + MINUTE_MS)
    if (day === 6) expect(await statuses()).toEqual([401, 200])
  }
  later(5 * DAY_MS)
  expect(await statuses()).toEqual([401, 401])
})

test('the live stream of a session that expires ends by itself, and is kept open with comments until then', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  await using gateway = await startGateway({ services })
  const stream = await (await gateway.signIn(ADA)).get('/api/live')
  expect(stream.status).toBe(200)
  const text = stream.text()
  vi.advanceTimersByTime(MINUTE_MS)
  vi.setSystemTime(Date.now() + 30 * DAY_MS)
  vi.advanceTimersByTime(MINUTE_MS)
  expect(await text).toMatch(/^event: ready\n[^]*^: /m)
})
