import { Type } from 'typebox'
import { AfterPosting, Cents, defineEvent, Id } from './event.ts'

export const CreditsRefunded = defineEvent(
  'prelude.credits',
  'CreditsRefunded',
  { for: ['songs', 'notifier'] },
  'The credits of a song were refunded. `closed` says how its request was, where the refund follows from SongClosed.',
  Type.Object({
    songId: Id,
    uid: Id,
    amount: Cents,
    ...AfterPosting,
    closed: Type.Optional(
      Type.Unsafe<'cancelled' | 'declined'>(Type.String({ enum: ['cancelled', 'declined'] })),
    ),
  }),
)
