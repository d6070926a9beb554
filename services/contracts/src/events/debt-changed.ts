import { Type } from 'typebox'
import { AfterPosting, Cents, defineEvent, Id } from './event.ts'

export const DebtChanged = defineEvent(
  'prelude.credits',
  'DebtChanged',
  { for: ['notifier'] },
  'What a person owes changed by `change`, to `debt` in all; `reference` is the payment that was reversed after its credits were spent.',
  Type.Object({
    uid: Id,
    change: Cents,
    debt: Type.Integer({ minimum: 0 }),
    reference: Id,
    ...AfterPosting,
  }),
)
