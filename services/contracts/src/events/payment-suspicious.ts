import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const PaymentSuspicious = defineEvent(
  'prelude.payments',
  'PaymentSuspicious',
  { for: ['notifier'] },
  'A payment does not match what was asked for; nothing was credited, and it is reported to the operator.',
  Type.Object({ paymentId: Id, uid: Id, reason: Type.String() }),
)
