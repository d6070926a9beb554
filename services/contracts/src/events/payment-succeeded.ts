import { Type } from 'typebox'
import { Cents, defineEvent, Id } from './event.ts'

export const PaymentSucceeded = defineEvent(
  'prelude.payments',
  'PaymentSucceeded',
  { for: ['credits', 'notifier'] },
  'Money arrived for a payment; credits adds `credits`.',
  Type.Object({ paymentId: Id, uid: Id, credits: Cents, method: Type.String() }),
)
