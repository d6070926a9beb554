import { Type } from 'typebox'
import { Cents, defineEvent, Id } from './event.ts'

export const PaymentReinstated = defineEvent(
  'prelude.payments',
  'PaymentReinstated',
  { for: ['credits'] },
  'A dispute was won: the reversed money is back.',
  Type.Object({ paymentId: Id, uid: Id, credits: Cents, reversalId: Id }),
)
