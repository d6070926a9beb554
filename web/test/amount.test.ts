import { expect, test } from 'vitest'
import { parseAmount } from '../src/text/amount.ts'

const AMOUNTS: [text: string, amount: number][] = [
  ['25', 25],
  ['25.50', 25.5],
  ['25,50', 25.5],
  ['25,', 25],
  [',5', 0.5],
  ['1,000', 1000],
  ['1,000.50', 1000.5],
  ['37 000', 37000],
  ['37\u202f000,5', 37000.5],
  ['-10', -10],
  ['−2,5', -2.5],
  [' +3 ', 3],
]
const NONE = ['', ' ', 'a', '1e3', '1.000,50', '2.345', '1,2,3', '--1', '1.2.3', 'Infinity', '0x10']

test('an amount has a point or a comma before its decimals, and may group its thousands', () => {
  expect(AMOUNTS.map(([text]) => [text, parseAmount(text)])).toEqual(AMOUNTS)
  expect(NONE.filter((text) => !Number.isNaN(parseAmount(text)))).toEqual([])
})

test('decimals that cannot be paid are read where they are to be refused in words', () => {
  expect(parseAmount('24.995', Infinity)).toBe(24.995)
  expect(parseAmount('24,9951', Infinity)).toBe(24.9951)
})
