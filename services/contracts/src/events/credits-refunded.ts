import { Type } from 'typebox'
import { AfterPosting, Cents, defineEvent, Id } from './event.ts'

export const CreditsRefunded = defineEvent(
  'prelude.credits',
  'CreditsRefunded',
  'The credits of a song were refunded.',
  Type.Object({ songId: Id, uid: Id, amount: Cents, ...AfterPosting }),
)
