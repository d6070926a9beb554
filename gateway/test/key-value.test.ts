import { expect, test } from 'vitest'
import { connect } from '@prelude/platform'
import { KV_SCHEMA, postgresKeyValue } from '../src/api/key-value/postgres-kv.ts'
import { eventually } from '@prelude/platform/eventually'
import { testLogger } from '@prelude/platform/testing'
import { gatewayPorts } from './gateway-ports.ts'
import { keyValueConformance, keyValueExpiry } from './conformance/key-value.ts'

const connected = async () => {
  const ports = await gatewayPorts()
  const { kv, kvUrl, clock } = ports
  const two = postgresKeyValue({ url: kvUrl, logger: testLogger(), clock })
  return {
    one: kv,
    two,
    pass: (ms: number) => clock.pass(ms),
    [Symbol.asyncDispose]: async () => {
      await two.close()
      await ports[Symbol.asyncDispose]()
    },
  }
}
keyValueConformance('postgres key-value', connected)
keyValueExpiry('postgres key-value', connected)

test('the only process that subscribes notifies no other, and receives what others publish', async () => {
  await using ports = await gatewayPorts()
  const { kv: other, kvUrl: url, clock } = ports
  const only = postgresKeyValue({ url, logger: testLogger(), clock, onlySubscriber: true })
  const received: string[] = []
  await only.subscribe('c', (message) => received.push(`here ${message}`))
  await other.subscribe('c', (message) => received.push(`there ${message}`))
  await other.publish('c', 'zero')
  await eventually(() => expect(received.toSorted()).toEqual(['here zero', 'there zero']))
  await only.publish('c', 'one')
  await only.close() // sends what is pending
  await other.publish('c', 'two')
  await eventually(() => expect(received.slice(2)).toEqual(['here one', 'there two']))
})

test('subscriptions that were interrupted are reported once messages arrive again', async () => {
  await using ports = await gatewayPorts()
  let interruptions = 0
  ports.kv.onInterruption(() => interruptions++)
  await ports.kv.subscribe('c', () => {})
  expect(interruptions).toBe(0)
  const client = await connect(ports.kvUrl, KV_SCHEMA.schema)
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where (datname, usename) = (current_database(), current_user) and pid <> pg_backend_pid()',
  )
  await client.end()
  await eventually(() => expect(interruptions).toBe(1))
})
