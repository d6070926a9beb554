import { type Static, Type } from 'typebox'
import { defineApi, Empty, GivenTime, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'

/** Who writes about a song: its owner, or the operator. */
export const Side = OneOf('owner', 'studio')
export type Side = Static<typeof Side>

/** A message about a song. */
export const SongMessage = Type.Object({
  id: Type.String(),
  from: Side,
  text: Type.String(),
  at: Time,
  /** By the other side. */
  readAt: Nullable(Time),
})
export type SongMessage = Static<typeof SongMessage>

/** What the songs service answers about messages. */
export const messagesApi = defineApi({
  /** Newest first. Errors: invalid_cursor. */
  list: {
    method: 'GET',
    path: '/songs/:id/messages',
    query: Type.Object(PageQuery),
    reply: Page(SongMessage),
  },
  /** Of this side, what the other one has not read, oldest first. */
  unread: {
    method: 'GET',
    path: '/songs/:id/unread-messages',
    callers: ['notifier'],
    query: Type.Object({ from: Side }),
    reply: Type.Object({ items: Type.Array(SongMessage) }),
  },
  /**
   * Creates by the caller's id; the same id again answers the message that is there. Errors: song_not_found, messages_closed,
   * too_many_messages.
   */
  write: {
    method: 'PUT',
    path: '/songs/:id/messages/:messageId',
    body: Type.Object({ from: Side, text: Type.String({ minLength: 1 }) }),
    reply: SongMessage,
  },
  /** `by` reads what the other side wrote up to `before`, inclusive. Errors: song_not_found. */
  read: {
    method: 'POST',
    path: '/songs/:id/messages/read',
    body: Type.Object({ by: Side, before: GivenTime }),
    reply: Empty,
  },
})
