import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const ChangesAsked = defineEvent(
  'prelude.songs',
  'ChangesAsked',
  { for: ['notifier'] },
  'The owner of a ready song asks for changes.',
  Type.Object({ songId: Id, uid: Id }),
)
