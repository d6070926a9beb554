import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const SongClosed = defineEvent(
  'prelude.songs',
  'SongClosed',
  'Its owner cancelled the request or the operator declined it; what was charged for it has to be given back. One that is `free`, a gift or refunded before, gives nothing back.',
  Type.Object({
    songId: Id,
    uid: Id,
    reason: Type.Unsafe<'cancelled' | 'declined'>(Type.String({ enum: ['cancelled', 'declined'] })),
    free: Type.Optional(Type.Boolean()),
  }),
)
