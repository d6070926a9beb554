import { Type } from 'typebox'
import { defineEvent, Id } from './event.ts'

export const ChangesDelivered = defineEvent(
  'prelude.songs',
  'ChangesDelivered',
  { for: ['notifier'] },
  'The changes that were asked for are there, as new takes.',
  Type.Object({ songId: Id, uid: Id }),
)
