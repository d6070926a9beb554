import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const AccountClosed = defineEvent(
  'prelude.gateway',
  'AccountClosed',
  { for: ['songs', 'credits', 'payments', 'notifier'] },
  'A person’s account was closed for good: each service erases their personal data and their texts. Nobody gets this uid again.',
  Type.Object({ uid: Id }),
)
