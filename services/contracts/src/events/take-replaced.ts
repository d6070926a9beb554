import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const TakeReplaced = defineEvent(
  'prelude.songs',
  'TakeReplaced',
  { for: ['notifier'] },
  'The operator gave a take of a ready song another file, since a wrong one was uploaded.',
  Type.Object({ songId: Id, uid: Id }),
)
