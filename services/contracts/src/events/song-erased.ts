import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const SongErased = defineEvent(
  'prelude.songs',
  'SongErased',
  { for: ['storage'] },
  'A song went with the account of its owner: its texts are gone, its audio has to go.',
  Type.Object({ songId: Id, uid: Id }),
)
