import fc from 'fast-check'
import { expect, inject, test, vi } from 'vitest'
import { missingFor } from '../src/features/album/use-top-up.ts'
import { afterRefund, balanceAfter, creditsForNaira, refundable } from '../src/features/operator/sums.ts'

// messages.ts reads the site configuration from meta tags
vi.hoisted(() => Object.assign(globalThis, { document: { querySelector: () => null } }))

const ADJUSTED: [balance: number, debt: number, credits: number, after: number][] = [
  [43.73, 0, 10.95, 54.68],
  [0.1, 0, 0.2, 0.3],
  [30, 0, -0.07, 29.93],
  [0, 20, 12.5, 0],
  [0, 20.05, 25, 4.95],
  [0, 20, -1, -1],
]
test('credits that are added settle the debt first', () => {
  const found = ADJUSTED.map(([balance, debt, credits]) => [
    balance,
    debt,
    credits,
    balanceAfter({ balance, debt }, credits),
  ])
  expect(found).toEqual(ADJUSTED)
})

test('a balance after an adjustment is exact for every balance and sum', () =>
  fc.assert(
    fc.property(fc.nat(1e9), fc.integer({ min: -1e6, max: 1e6 }), (balance, added) => {
      expect(balanceAfter({ balance: balance / 100, debt: 0 }, added / 100)).toBe((balance + added) / 100)
    }),
    { seed: inject('seed') },
  ))

test('what is left of a payment can be refunded', () => {
  expect(refundable({ amount: 25, refundedAmount: 2.74 })).toBe(22.26)
  expect(refundable({ amount: 30.3, refundedAmount: 30.2 })).toBe(0.1)
  expect(refundable({ amount: null, refundedAmount: 0 })).toBe(0)
})

test('what is refunded of spent credits is owed', () => {
  expect(afterRefund({ balance: 0.1, debt: 0.1 }, 0.3)).toEqual({ owed: 0.2, debt: 0.3 })
  expect(afterRefund({ balance: 30, debt: 0 }, 12)).toEqual({ owed: 0, debt: 0 })
})

test('the credits for a transfer are rounded down', () => {
  expect(creditsForNaira(36_999.99)).toBe(24.99)
  expect(creditsForNaira(40_000)).toBe(27.02)
})

test('what is missing for a request is exact: a debt and older requests count, and it is never less than the smallest top-up', () => {
  const waiting = ['first', 'second', 'third']
  expect(missingFor('third', { balance: 0.05, debt: 0, waiting })).toBe(29.95)
  expect(missingFor('third', { balance: 0.05, debt: 0.1, waiting })).toBe(30.05)
  expect(missingFor('first', { balance: 0.05, debt: 0, waiting })).toBe(25)
  expect(missingFor('unknown', { balance: 0.05, debt: 20.5, waiting: undefined })).toBe(30.45)
})
