import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const SongLate = defineEvent(
  'prelude.songs',
  'SongLate',
  { for: ['notifier'] },
  'The promised time passed and the song is not ready.',
  Type.Object({ songId: Id, uid: Id }),
)
