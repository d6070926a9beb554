import { Type } from 'typebox'
import { Side } from '../api/messages.ts'
import { Time } from '../api/operation.ts'
import { defineEvent, Id } from './event.ts'

export const MessageWritten = defineEvent(
  'prelude.songs',
  'MessageWritten',
  { for: ['notifier'] },
  'Owner or operator wrote about a song, at a time that rises with each message of it. `unread`: how many messages of this side the other has not read.',
  Type.Object({ songId: Id, uid: Id, from: Side, at: Time, unread: Type.Integer({ minimum: 1 }) }),
)
