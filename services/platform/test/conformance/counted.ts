import { defineEvent, topicOf } from '@prelude/contracts'
import { Type } from 'typebox'

export const TOPIC = topicOf('songs')

export const Counted = defineEvent(
  TOPIC,
  'Counted',
  { for: ['credits'] },
  'A test event.',
  Type.Object({ uid: Type.String(), n: Type.Integer() }),
)
