import type { ServiceName } from '@prelude/contracts'
import type { KafkaMessage } from 'kafkajs'
import { expect, test } from 'vitest'
import { busUrl } from '../src/host/config.ts'
import { crashLimit, faultOf } from '../src/events/kafka/crashes.ts'
import { kafkaAddress, kafkajs } from '../src/events/kafka/kafka-client.ts'
import { readMessage } from '../src/events/kafka/kafka-consumer.ts'
import { partitionOf } from '../src/events/kafka/kafka-producer.ts'
import { signMessage } from '../src/events/kafka/signature.ts'
import { testIdentity } from './support/index.ts'

const MINUTE_MS = 60_000

test('the sixth crash within ten minutes is one too many, six in an hour are not', () => {
  const often = crashLimit(5, 10 * MINUTE_MS)
  expect([0, 1, 2, 3, 4, 9].map((minute) => often(minute * MINUTE_MS))).toEqual([
    false,
    false,
    false,
    false,
    false,
    true,
  ])
  const rarely = crashLimit(5, 10 * MINUTE_MS)
  expect([0, 10, 20, 30, 40, 50].map((minute) => rarely(minute * MINUTE_MS))).not.toContain(true)
})

test('a crash is a fault of this process unless the cluster refuses us, and passes where kafkajs would restart', () => {
  const { KafkaJSError, KafkaJSNonRetriableError, KafkaJSNumberOfRetriesExceeded, KafkaJSProtocolError } =
    kafkajs()
  const refused = new KafkaJSProtocolError(
    Object.assign(new Error('no access'), { type: 'GROUP_AUTHORIZATION_FAILED', code: 30, retriable: false }),
  )
  const exceeded = (cause: Error) =>
    new KafkaJSNumberOfRetriesExceeded(cause, { retryCount: 10, retryTime: 3_000 })
  expect([refused, exceeded(refused)].map(faultOf)).toEqual(['cluster', 'cluster'])
  expect([exceeded(new Error('no answer')), new KafkaJSError('lost')].map(faultOf)).toEqual([
    'passing',
    'passing',
  ])
  expect([new Error('a bug'), new KafkaJSNonRetriableError('a bug')].map(faultOf)).toEqual([
    'lasting',
    'lasting',
  ])
})

test('an address of Kafka names one or several hosts', () => {
  expect(kafkaAddress('kafka://a:9092,b:9093,c?prefix=x.')).toMatchObject({
    brokers: ['a:9092', 'b:9093', 'c:9092'],
    prefix: 'x.',
    sasl: null,
  })
  expect(kafkaAddress('kafkas://prelude_songs:p%40ss@a,b:9093?sessionTimeoutMs=6000')).toMatchObject({
    brokers: ['a:9092', 'b:9093'],
    sasl: { mechanism: 'scram-sha-512', username: 'prelude_songs', password: 'p@ss' },
    sessionTimeoutMs: 6_000,
  })
  expect(kafkaAddress('kafkas://user:password@a?mechanism=plain').sasl).toMatchObject({ mechanism: 'plain' })
  expect(busUrl('kafka://a:9092,b:9093?prefix=x')).toBe('kafka://a:9092,b:9093?prefix=x')
  expect(() => busUrl('not an address')).toThrow('must be a URL')
  expect(() => kafkaAddress('kafka://')).toThrow('must be kafka://')
})

const REFUSED = [
  ['kafka://broker:9093?ssl=true&sasl=scram', 'unknown: ssl, sasl'],
  ['kafkas://user:password@broker?acks=1', 'unknown: acks'],
  ['kafka://user:password@broker', 'kafkas://'],
  ['kafkas://broker', 'user and password'],
  ['kafkas://user@broker', 'user and password'],
  ['kafkas://user:pass:word@broker', 'user and password'],
  ['kafkas://user:password@a,other:password@b', 'must be'],
  ['kafkas://user:password@broker?mechanism=gssapi', 'mechanism'],
  ['kafka://broker?mechanism=plain', 'mechanism'],
  ['kafka://a/topic', 'must be'],
  ['kafka://a#b', 'must be'],
  ['kafka://a?sessionTimeoutMs=soon', 'sessionTimeoutMs'],
] as const
test('an address of Kafka in which something would be ignored is refused', () => {
  for (const [address, why] of REFUSED) expect(() => busUrl(address)).toThrow(why)
})

test('a message is an event where the service that owns the topic signed it, in the partition of its key', async () => {
  const [topic, key, partitions] = ['prelude.payments', 'ada', 12] as const
  const value = JSON.stringify({ id: 'e1', type: 'PaymentSucceeded', key, position: 1, data: {} })
  const partition = partitionOf(key, partitions)
  const read = (signature: Buffer | string | undefined, at = partition, text = value) =>
    readMessage(testIdentity('credits'), { topic, partition: at, partitions }, {
      key: Buffer.from(key),
      value: Buffer.from(text),
      headers: { signature },
    } as unknown as KafkaMessage)
  const signedBy = (service: ServiceName) => signMessage(testIdentity(service), topic, key, value)
  const right = await signedBy('payments')
  expect(await read(right)).toMatchObject({ id: 'e1', position: 1 })
  const forged = [
    read(await signedBy('songs')),
    read(Buffer.alloc(64)),
    read('not one'),
    read(undefined),
    read(right, (partition + 1) % partitions),
    read(right, partition, value.replace('e1', 'e2')),
  ]
  for (const message of await Promise.all(forged))
    expect(message).toMatchObject({ problem: 'not signed by the service that owns the topic' })
  // the database stores no NUL
  expect(await read(undefined, partition, 'a\0b')).toMatchObject({ value: 'a\uFFFDb' })
})
