import { Type } from 'typebox'
import { AfterPosting, Cents, defineEvent, Id } from './event.ts'

export const CreditsCharged = defineEvent(
  'prelude.credits',
  'CreditsCharged',
  { for: ['songs', 'notifier'] },
  'A song was paid. `waited` when the request had been declined before.',
  Type.Object({ songId: Id, uid: Id, amount: Cents, waited: Type.Boolean(), ...AfterPosting }),
)
