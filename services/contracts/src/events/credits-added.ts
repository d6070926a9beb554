import { Type } from 'typebox'
import { Nullable } from '../api/operation.ts'
import { AfterPosting, Cents, defineEvent, Id } from './event.ts'

export const CreditsAdded = defineEvent(
  'prelude.credits',
  'CreditsAdded',
  { for: ['payments'] },
  'Credits arrived; `reference` is the payment, or null.',
  Type.Object({
    uid: Id,
    amount: Cents,
    reason: Type.String(),
    reference: Nullable(Id),
    ...AfterPosting,
  }),
)
