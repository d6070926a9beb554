import { Type } from 'typebox'
import { Cents, defineEvent, Id } from './event.ts'

export const PaymentReversed = defineEvent(
  'prelude.payments',
  'PaymentReversed',
  { for: ['credits'] },
  'A refund or a dispute took money back; never before its success.',
  Type.Object({ paymentId: Id, uid: Id, credits: Cents, reversalId: Id }),
)
