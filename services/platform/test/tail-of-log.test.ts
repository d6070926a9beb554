import { expect, test } from 'vitest'
import { tailOfLog } from '../src/events/tail-of-log.ts'
import type { BusMessage } from '../src/events/port.ts'

const TOPIC = 'prelude.songs'
const messages = (...values: string[]): BusMessage[] =>
  values.map((value) => ({ topic: TOPIC, key: 'a', value }))
const valuesAfter = (tail: ReturnType<typeof tailOfLog>, position: number, most = 10) => {
  const found = tail.after(TOPIC, position, most)
  return found && [found.last, ...found.messages.map(({ value }) => value)]
}

test('a tail answers from any place within it, as many as are wanted, and where that is', () => {
  const tail = tailOfLog()
  tail.add(TOPIC, { last: 12, messages: messages('11', '12') })
  tail.add(TOPIC, { last: 15, messages: messages('13', '14', '15') })
  expect(valuesAfter(tail, 10)).toEqual([15, '11', '12', '13', '14', '15'])
  expect(valuesAfter(tail, 11, 2)).toEqual([13, '12', '13'])
  expect(valuesAfter(tail, 14)).toEqual([15, '15'])
  expect(tail.last(TOPIC)).toBe(15)
})

test('what is before the tail, after it, or of a topic without one is not there', () => {
  const tail = tailOfLog()
  tail.add(TOPIC, { last: 12, messages: messages('11', '12') })
  expect([valuesAfter(tail, 9), valuesAfter(tail, 12), valuesAfter(tail, 13)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(tail.after('prelude.credits', 0, 10)).toBeUndefined()
})

test('after a hole, where another process published, the tail begins anew; what comes late is left out', () => {
  const tail = tailOfLog()
  tail.add(TOPIC, { last: 2, messages: messages('1', '2') })
  tail.add(TOPIC, { last: 5, messages: messages('5') })
  tail.add(TOPIC, { last: 4, messages: messages('3', '4') })
  expect(valuesAfter(tail, 0)).toBeUndefined()
  expect(valuesAfter(tail, 2)).toBeUndefined()
  expect(valuesAfter(tail, 4)).toEqual([5, '5'])
})

test('the oldest go when there is too much, never the last', () => {
  const tail = tailOfLog()
  const large = 'x'.repeat(900_000)
  for (let last = 1; last <= 5; last++) tail.add(TOPIC, { last, messages: messages(large) })
  expect(tail.after(TOPIC, 2, 10)).toBeUndefined()
  expect(tail.after(TOPIC, 3, 10)?.messages).toHaveLength(2)
  tail.add(TOPIC, { last: 6, messages: messages('x'.repeat(3_000_000)) })
  expect(tail.after(TOPIC, 4, 10)).toBeUndefined()
  expect(tail.after(TOPIC, 5, 10)?.messages).toHaveLength(1)
})
