import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const AccountClosed = defineEvent(
  'prelude.gateway',
  'AccountClosed',
  'A person’s account was closed for good: each service erases what tells who they were or what they wrote. Nobody gets this uid again.',
  Type.Object({ uid: Id }),
)
