import { Type } from 'typebox'
import { AfterPosting, Cents, defineEvent, Id } from './event.ts'

export const CreditsAdjusted = defineEvent(
  'prelude.credits',
  'CreditsAdjusted',
  { for: ['notifier'] },
  'The operator adjusted a balance by hand; negative when credits were taken.',
  Type.Object({ adjustmentId: Id, uid: Id, amount: Cents, ...AfterPosting }),
)
