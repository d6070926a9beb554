import { Type } from 'typebox'
import { AfterPosting, Cents, defineEvent, Id } from './event.ts'

export const CreditsDeclined = defineEvent(
  'prelude.credits',
  'CreditsDeclined',
  { for: ['songs', 'notifier'] },
  'Too few credits: the song waits until credits arrive. An answer, not a failure.',
  Type.Object({ songId: Id, uid: Id, missing: Cents, ...AfterPosting }),
)
