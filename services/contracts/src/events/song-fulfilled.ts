import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const SongFulfilled = defineEvent(
  'prelude.songs',
  'SongFulfilled',
  { for: ['credits', 'notifier'] },
  'Both versions are there and the song is ready. A gift is never charged.',
  Type.Object({ songId: Id, uid: Id, gift: Type.Boolean() }),
)
