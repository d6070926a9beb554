import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const TakesChanged = defineEvent(
  'prelude.songs',
  'TakesChanged',
  { for: ['storage'] },
  'Which object of storage is which take of a version: all takes of the song. One that was a take and is not listed goes.',
  Type.Object({
    songId: Id,
    uid: Id,
    takes: Type.Array(
      Type.Object({
        version: Type.Integer({ minimum: 1, maximum: 2 }),
        take: Type.Integer({ minimum: 1 }),
        objectId: Id,
      }),
    ),
  }),
)
