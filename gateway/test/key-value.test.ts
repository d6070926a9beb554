import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { connect } from '@prelude/platform'
import { KV_SCHEMA, postgresKeyValue } from '../src/api/key-value/postgres-kv.ts'
import { eventually } from '@prelude/platform/eventually'
import { testLogger } from '@prelude/platform/testing'
import { connectRedis } from '../src/api/key-value/redis-connection.ts'
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

test('a Redis that has become a replica is left for the server that its address leads to now', async () => {
  let connections = 0
  const server = createServer((socket) => {
    const isReplica = connections++ === 0
    socket.on('error', () => {})
    socket.on('data', (commands) => {
      for (const [, name = ''] of commands.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g))
        if (name.toLowerCase() === 'info') socket.write('$9\r\nloading:0\r\n')
        else socket.write(name.toLowerCase() === 'set' && isReplica ? '-READONLY a replica\r\n' : '+OK\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { call, close } = connectRedis(url, testLogger())
  await expect(call((redis) => redis.set('a', '1'))).rejects.toMatchObject({ code: 'unavailable' })
  expect(await eventually(() => call((redis) => redis.set('a', '1')))).toBe('OK')
  close()
  server.close()
})
