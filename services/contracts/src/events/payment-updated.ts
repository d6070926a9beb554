import { Type } from 'typebox'
import { defineEvent, Id, Revision } from './event.ts'

export const PaymentUpdated = defineEvent(
  'prelude.payments',
  'PaymentUpdated',
  { for: [] },
  'Anything about a payment changed; the newest revision wins.',
  Type.Object({ paymentId: Id, uid: Id, revision: Revision }),
)
