import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const TakesRefused = defineEvent(
  'prelude.songs',
  'TakesRefused',
  { for: ['storage'] },
  'Objects were stored for the song, and it did not take them: it was fulfilled otherwise, say. No song ever will.',
  Type.Object({ songId: Id, uid: Id, objectIds: Type.Array(Id) }),
)
