import { MAX_MESSAGES, MAX_MESSAGES_OF_SIDE, messagesEndAt, type Side } from '@prelude/contracts'
import { AppError } from '@prelude/platform'
import type { SongState, Terms } from './song.ts'

/** Asserts that `from` may write now. Errors: messages_closed, too_many_messages. */
export function withMessage<S extends SongState>(
  song: S,
  { from, at, terms }: { from: Side; at: number; terms: Pick<Terms, 'messagesDays'> },
): S {
  const endsAt = messagesEndAt(song, terms)
  if (endsAt !== null && at >= endsAt) throw new AppError('messages_closed')
  const { owner, studio } = song.messages
  const { count, unread } = song.messages[from]
  if (owner.count + studio.count >= MAX_MESSAGES || count >= MAX_MESSAGES_OF_SIDE)
    throw new AppError('too_many_messages')
  return { ...song, messages: { ...song.messages, [from]: { count: count + 1, unread: unread + 1 } } }
}

/** `read` of the messages that this side wrote. Gives the very same object back when that is none. */
export function withMessagesRead<S extends SongState>(song: S, from: Side, read: number): S {
  const { count, unread } = song.messages[from]
  return read === 0
    ? song
    : { ...song, messages: { ...song.messages, [from]: { count, unread: unread - read } } }
}
