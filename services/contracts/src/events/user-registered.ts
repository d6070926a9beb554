import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const UserRegistered = defineEvent(
  'prelude.gateway',
  'UserRegistered',
  { for: ['credits'] },
  'A person signed in for the first time.',
  Type.Object({ uid: Id }),
)
