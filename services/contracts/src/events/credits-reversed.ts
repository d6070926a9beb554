import { Type } from 'typebox'
import { AfterPosting, Cents, defineEvent, Id } from './event.ts'

export const CreditsReversed = defineEvent(
  'prelude.credits',
  'CreditsReversed',
  { for: ['notifier'] },
  'The credits of a reversed payment were taken back: `owed` of the `amount` were spent already and became a debt, which is `debt` in all.',
  Type.Object({
    reversalId: Id,
    paymentId: Id,
    uid: Id,
    amount: Cents,
    owed: Type.Integer({ minimum: 0 }),
    debt: Type.Integer({ minimum: 0 }),
    ...AfterPosting,
  }),
)
