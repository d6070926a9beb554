import { Type } from 'typebox'
import { Cents, defineEvent, Id } from './event.ts'

export const SongRequested = defineEvent(
  'prelude.songs',
  'SongRequested',
  'A request was accepted, the song is there at revision 1; credits answers with CreditsCharged or CreditsDeclined. Without `price` it is 1000.',
  Type.Object({ songId: Id, uid: Id, price: Type.Optional(Cents) }),
)
