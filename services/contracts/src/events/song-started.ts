import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const SongStarted = defineEvent(
  'prelude.songs',
  'SongStarted',
  { for: ['credits'] },
  'The operator has taken the song into the studio. A gift is never charged.',
  Type.Object({ songId: Id, uid: Id, gift: Type.Boolean() }),
)
