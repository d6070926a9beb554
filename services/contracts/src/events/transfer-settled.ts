import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const TransferSettled = defineEvent(
  'prelude.payments',
  'TransferSettled',
  { for: ['notifier'] },
  'The operator confirmed or rejected a bank transfer.',
  Type.Object({
    transferId: Id,
    uid: Id,
    outcome: Type.Union([Type.Literal('confirmed'), Type.Literal('rejected')]),
  }),
)
