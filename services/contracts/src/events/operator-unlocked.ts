import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const OperatorUnlocked = defineEvent(
  'prelude.gateway',
  'OperatorUnlocked',
  { for: ['notifier'] },
  'A session of the operator was unlocked for the first time since its sign-in.',
  Type.Object({ sessionId: Id, uid: Id }),
)
