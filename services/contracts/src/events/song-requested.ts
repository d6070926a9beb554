import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const SongRequested = defineEvent(
  'prelude.songs',
  'SongRequested',
  'A request was accepted; credits answers with CreditsCharged or CreditsDeclined.',
  Type.Object({ songId: Id, uid: Id }),
)
