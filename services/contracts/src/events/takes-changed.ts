import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const TakesChanged = defineEvent(
  'prelude.songs',
  'TakesChanged',
  'Which object is which take of a version: all takes of the song. An object that was one of them and is not listed goes.',
  Type.Object({
    songId: Id,
    uid: Id,
    takes: Type.Array(
      Type.Object({
        version: Type.Integer({ minimum: 1, maximum: 2 }),
        take: Type.Integer({ minimum: 1 }),
        path: Type.String(),
      }),
    ),
  }),
)
