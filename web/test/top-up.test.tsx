import './browser.ts'
import type { Payment } from '@prelude/contracts'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { paymentsQuery } from '../src/api/payments.ts'
import { queryClient } from '../src/api/query-client.ts'
import { AmountField, Instructions } from '../src/features/top-up/top-up-dialog.tsx'
import { messages } from '../src/messages.ts'
import { formatsFor } from '../src/messages/format.ts'
import { loadTexts, textOf } from './rendered.tsx'

/** What the dialog "Enter Credit Amount" says about sums. */

beforeAll(loadTexts)
afterEach(() => queryClient.clear())

const amountField = (value: string, buysIt = true): string =>
  textOf(<AmountField ref={{ current: null }} value={value} buysIt={buysIt} onValue={() => {}} />)

const PROMISES: [value: string, promise: string | null][] = [
  ['24.99', null],
  ['25', 'You pay $25.00 and get 25.00 credits.'],
  ['5000', 'You pay $5,000.00 and get 5000.00 credits.'],
  ['5000.01', null],
  ['6000', null],
  ['', null],
]
test('dollars promise what they buy, and nothing where they cannot be paid', () => {
  const found = PROMISES.map(([value]) => [
    value,
    /You pay .*? credits\./.exec(amountField(value))?.[0] ?? null,
  ])
  expect(found).toEqual(PROMISES)
})

test('an amount that is filled in has the decimal sign of the language', () => {
  expect(['en', 'fr', 'pt'].map((tag) => formatsFor(tag).plain(1025.5))).toEqual([
    '1025.5',
    '1025,5',
    '1025,5',
  ])
  expect(formatsFor('en').plain(25)).toBe('25')
})

const TRANSFER = {
  id: 'naira_transfer',
  amount: 37_000,
  credits: 25,
  bankName: 'Bank',
  accountName: 'Prelude',
  accountNumber: '0123456789',
  reference: 'ada@example.com',
  note: '',
  supportEmail: 'help@prelude.test',
} as const
const instructions = (): string =>
  textOf(<Instructions method={TRANSFER} onSent={() => {}} onError={() => {}} />)
/** Sums of money, in any of the currencies. */
const sumsIn = (text: string): string[] => text.match(/\$ ?[\d,.]+|[\d,.]+ Naira|₦ ?[\d,.]+/g) ?? []

test('a Naira transfer shows one sum, whatever amount was typed', () => {
  expect(sumsIn(amountField('50', false))).toEqual([])
  expect(sumsIn(instructions())).toEqual(['37,000 Naira'])
})

test('a Naira transfer that was announced is said to be under way until it is settled', () => {
  const announced = (status: Payment['status'], method: Payment['method'] = 'naira_transfer'): void => {
    const payment = { id: 'p1', method, status, createdAt: Date.UTC(2026, 10, 24, 14, 5) } as Payment
    queryClient.setQueryData(paymentsQuery.queryKey, [payment])
  }
  const [begin = ''] = messages.topUp.announced('§').split('§')
  announced('open')
  expect(instructions()).toContain(`${begin}Nov 24, 2026`)
  for (const [status, method] of [
    ['paid', 'naira_transfer'],
    ['rejected', 'naira_transfer'],
    ['open', 'card'],
  ] as const) {
    announced(status, method)
    expect(instructions()).not.toContain(begin)
  }
})
