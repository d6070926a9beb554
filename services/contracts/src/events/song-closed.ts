import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const SongClosed = defineEvent(
  'prelude.songs',
  'SongClosed',
  { for: ['credits', 'notifier', 'storage'] },
  'Its owner cancelled the request, or the operator declined it or gave the credits of a song back that stays as it is; its charge has to be refunded. For one that is `free`, a gift or refunded before, nothing is refunded. One that `stays` was neither cancelled nor declined; versions that do not know this refund it all the same.',
  Type.Object({
    songId: Id,
    uid: Id,
    reason: Type.Unsafe<'cancelled' | 'declined'>(Type.String({ enum: ['cancelled', 'declined'] })),
    free: Type.Optional(Type.Boolean()),
    stays: Type.Optional(Type.Boolean()),
  }),
)
