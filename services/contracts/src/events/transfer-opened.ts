import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const TransferOpened = defineEvent(
  'prelude.payments',
  'TransferOpened',
  { for: ['notifier'] },
  'A person says that a bank transfer was made.',
  Type.Object({ transferId: Id, uid: Id }),
)
