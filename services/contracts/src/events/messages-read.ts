import { Type } from 'typebox'
import { Time } from '../api/operation.ts'
import { defineEvent, Id } from './event.ts'

export const MessagesRead = defineEvent(
  'prelude.songs',
  'MessagesRead',
  { for: ['notifier'] },
  'The owner of a song has read all messages about it, the newest of which was written at `at`.',
  Type.Object({ songId: Id, uid: Id, at: Time }),
)
