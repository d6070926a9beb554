import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const UnlockLimitReached = defineEvent(
  'prelude.gateway',
  'UnlockLimitReached',
  { for: ['notifier'] },
  'The admin password was wrong too often since `since`; it is not checked again until the limit ends.',
  Type.Object({ uid: Id, since: Type.Integer() }),
)
