import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { postgresKeyValue } from '../src/key-value/postgres-kv.ts'
import { testLogger, testPorts } from '../src/testing/index.ts'
import { keyValueConformance } from './conformance/key-value.ts'

keyValueConformance('postgres key-value', async () => {
  const ports = await testPorts()
  const two = postgresKeyValue({ url: ports.kvUrl, logger: testLogger() })
  return {
    one: ports.kv,
    two,
    [Symbol.asyncDispose]: async () => {
      await two.close()
      await ports[Symbol.asyncDispose]()
    },
  }
})

test('subscriptions that were interrupted are reported once messages arrive again', async () => {
  await using ports = await testPorts()
  let interruptions = 0
  ports.kv.onInterruption(() => interruptions++)
  await ports.kv.subscribe('c', () => {})
  expect(interruptions).toBe(0)
  const client = new pg.Client(ports.kvUrl)
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = current_user and pid <> pg_backend_pid()',
  )
  await client.end()
  await vi.waitFor(() => expect(interruptions).toBe(1), { timeout: 20_000, interval: 20 })
})
