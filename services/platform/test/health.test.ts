import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { registerHealth } from '../src/host/health.ts'
import { internalApp } from '../src/http/internal-app.ts'
import { clockDependency, createHealthChecks, type Dependency } from '../src/host/health-checks.ts'
import { postgresDatabase } from '../src/database/index.ts'
import { pino } from 'pino'
import { drainConnections } from '../src/host/drain.ts'
import type { Subscription } from '../src/events/port.ts'
import { identitiesFrom } from '../src/identity.ts'
import { testClock, testDatabase, testLogger } from './support/index.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const answers = (name: string, needed: boolean): Dependency => ({ name, needed, ping: async () => {} })
const fails = (name: string, needed: boolean): Dependency => ({
  name,
  needed,
  ping: () => Promise.reject(new Error('away')),
})

async function startService(dependencies: readonly Dependency[], { triedMsAgo = 0 } = {}) {
  const app = internalApp({
    identity: identitiesFrom('of-this-test')('songs'),
    logger: testLogger(),
    clock: systemClock,
  })
  let draining = false
  registerHealth(app, {
    subscription: { sinceAttemptMs: () => triedMsAgo } as Subscription,
    health: createHealthChecks(dependencies, systemClock),
    isDraining: () => draining,
    metrics: async () => ({ contentType: 'text/plain', body: '' }),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  closing.push(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return {
    ask: (path: string) => fetch(`http://127.0.0.1:${port}${path}`),
    leave: () => {
      draining = true
      drainConnections(app.server)
    },
  }
}

test('a service is ready while the dependencies that it needs answer; others only degrade it', async () => {
  const { ask } = await startService([answers('database', true), fails('bus', false)])
  const answer = await ask('/readyz')
  expect([answer.status, await answer.json()]).toEqual([200, { parts: { database: 'ok', bus: 'degraded' } }])
  const other = await startService([fails('database', true)])
  const refusal = await other.ask('/readyz')
  expect([refusal.status, await refusal.json()]).toEqual([503, { parts: { database: 'down' } }])
  expect((await other.ask('/healthz')).status).toBe(200)
})

test('a service is alive while its consumer tries, also when a dependency is down', async () => {
  const trying = await startService([fails('bus', false)], { triedMsAgo: 89_000 })
  expect((await trying.ask('/healthz')).status).toBe(200)
  const stuck = await startService([], { triedMsAgo: 91_000 })
  expect((await stuck.ask('/healthz')).status).toBe(503)
})

test('a service that is about to stop is not ready, and closes each connection after its next response', async () => {
  const { ask, leave } = await startService([answers('database', true)])
  expect((await ask('/healthz')).headers.get('connection')).toBe('keep-alive')
  leave()
  expect((await ask('/readyz')).status).toBe(503)
  const answer = await ask('/healthz')
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
})

test('a service whose clock is more than a minute off from that of its database is not ready, and logs it once', async () => {
  const { adminUrl, [Symbol.asyncDispose]: drop } = await testDatabase()
  const db = postgresDatabase({ url: adminUrl, schema: 'public', logger: testLogger() })
  closing.push(
    () => db.close(),
    async () => drop(),
  )
  const lines: string[] = []
  const logger = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
  const clock = testClock()
  const { ask } = await startService([clockDependency(db, clock, logger)])
  const state = async () => {
    const answer = await ask('/readyz')
    return [answer.status, ((await answer.json()) as { parts: { clock: string } }).parts.clock]
  }
  expect(await state()).toEqual([200, 'ok'])
  clock.drift(-2 * 60_000)
  expect([await state(), await state()]).toEqual([
    [503, 'down'],
    [503, 'down'],
  ])
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('the clocks of this process and of its database are 120 s apart')
  clock.drift(2 * 60_000)
  expect(await state()).toEqual([200, 'ok'])
})
