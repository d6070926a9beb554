import { Type } from 'typebox'
import { Nullable } from '../api/operation.ts'
import { AfterPosting, Cents, defineEvent, Id } from './event.ts'

export const CreditsTaken = defineEvent(
  'prelude.credits',
  'CreditsTaken',
  { for: [] },
  'Credits were taken for something other than a song: a reversal, a debt, an adjustment.',
  Type.Object({
    uid: Id,
    amount: Cents,
    reason: Type.String(),
    reference: Nullable(Id),
    ...AfterPosting,
  }),
)
