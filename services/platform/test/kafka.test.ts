import { expect, test } from 'vitest'
import { busUrl } from '../src/host/config.ts'
import { crashLimit } from '../src/events/kafka/crashes.ts'
import { kafkaAddress } from '../src/events/kafka/kafka-client.ts'

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

test('an address of Kafka names one or several hosts', () => {
  expect(kafkaAddress('kafka://a:9092,b:9093,c?prefix=x.')).toMatchObject({
    brokers: ['a:9092', 'b:9093', 'c:9092'],
    prefix: 'x.',
  })
  expect(busUrl('kafka://a:9092,b:9093?prefix=x')).toBe('kafka://a:9092,b:9093?prefix=x')
  expect(() => busUrl('not an address')).toThrow('must be a URL')
  expect(() => kafkaAddress('kafka://')).toThrow('BUS_URL')
})
