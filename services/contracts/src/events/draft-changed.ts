import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const DraftChanged = defineEvent(
  'prelude.storage',
  'DraftChanged',
  { for: [] },
  'Anything about a draft that a music generator makes changed, or it was asked for or removed; as it is now is read.',
  Type.Object({ draftId: Id, songId: Id, uid: Id }),
)
