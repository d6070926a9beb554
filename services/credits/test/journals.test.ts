import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import {
  adjustment,
  debtSettlement,
  type Journal,
  paymentCredit,
  paymentReinstatement,
  paymentReversal,
  songCharge,
  unpaidSong,
  songRefund,
} from '../src/domain/journals.ts'

const cents = fc.integer({ min: 1, max: 1_000_000 })
const maybeZero = fc.integer({ min: 0, max: 1_000_000 })

const sum = (journal: Journal): number => journal.lines.reduce((total, line) => total + line.amountCents, 0)

test('the lines of every journal sum to zero and none of them is zero', () => {
  const check = (amount: number, other: number, method: string): void => {
    const credit = paymentCredit({ uid: 'u1', paymentId: 'p1', creditsCents: amount, method })
    const of = {
      uid: 'u1',
      paymentId: 'p1',
      reversalId: 'r1',
      creditsCents: amount,
      clearing: 'card_clearing',
    }
    const journals = [
      songCharge('u1', 's1', 1000),
      unpaidSong('u1', 's1', 'gift'),
      songRefund('u1', 's1', amount),
      credit,
      paymentReversal(of, other),
      paymentReinstatement(of, other),
      debtSettlement(credit, { paymentId: 'p0', owedCents: amount }, other),
      adjustment('u1', 'a1', amount, 'more'),
      adjustment('u1', 'a2', -amount, 'less'),
    ]
    for (const journal of journals) {
      expect(sum(journal)).toBe(0)
      expect(journal.lines.every((line) => line.amountCents !== 0)).toBe(true)
    }
  }
  fc.assert(fc.property(cents, maybeZero, fc.constantFrom('card', 'naira_transfer', 'alternate'), check), {
    seed: inject('seed'),
  })
})

test('a reversal never takes more than is there, nor a settlement more than is owed', () => {
  fc.assert(
    fc.property(cents, maybeZero, (amount, balance) => {
      const of = {
        uid: 'u1',
        paymentId: 'p1',
        reversalId: 'r1',
        creditsCents: amount,
        clearing: 'card_clearing',
      }
      expect(paymentReversal(of, balance).takenCents).toBe(Math.min(amount, balance))
      const cause = adjustment('u1', 'a1', amount, 'more')
      const settlement = debtSettlement(cause, { paymentId: 'p0', owedCents: amount }, balance)
      expect(settlement.paidCents).toBe(Math.min(amount, balance))
    }),
    { seed: inject('seed') },
  )
})

test('a payment without credits is refused', () => {
  const credit = () => paymentCredit({ uid: 'u1', paymentId: 'p1', creditsCents: 0, method: 'card' })
  expect(credit).toThrow(RangeError)
})
