import { Type } from 'typebox'
import { defineEvent, Id, Revision } from './event.ts'

export const SongUpdated = defineEvent(
  'prelude.songs',
  'SongUpdated',
  { for: [] },
  'Anything about a song changed after its request; the newest revision wins.',
  Type.Object({ songId: Id, uid: Id, revision: Revision }),
)
