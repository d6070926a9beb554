import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const SongClosed = defineEvent(
  'prelude.songs',
  'SongClosed',
  'Its owner cancelled the request or the operator declined it; what was charged for it has to be given back.',
  Type.Object({
    songId: Id,
    uid: Id,
    reason: Type.Unsafe<'cancelled' | 'declined'>(Type.String({ enum: ['cancelled', 'declined'] })),
  }),
)
