import { type Static, Type } from 'typebox'
import { defineApi, Empty, GivenTime, Nullable, OneOf, Page, PageQuery, Time } from './operation.ts'

/** What a notice says; the app has a sentence for each. */
export const NoticeKind = OneOf(
  'ready',
  'charged',
  'late',
  'declined',
  'changes_delivered',
  'replaced',
  'credits_back',
  'transfer_settled',
  'message',
)
export type NoticeKind = Static<typeof NoticeKind>

/** Something that happened to a person's song or money. */
export const NoticeFacts = Type.Object({
  id: Type.String(),
  kind: NoticeKind,
  /** Null where it is not about a song. */
  songId: Nullable(Type.String()),
  /** When it happened. */
  at: Time,
  readAt: Nullable(Time),
})
export type NoticeFacts = Static<typeof NoticeFacts>

/** The same as the bell of the web app lists it. */
export const Notice = Type.Object({
  ...NoticeFacts.properties,
  /** The song's title or style as it is now; null where it is not about a song. */
  title: Nullable(Type.String()),
})
export type Notice = Static<typeof Notice>

/** Marks the notices up to this time as read, inclusive. */
export const NoticesRead = Type.Object({ before: GivenTime })
export type NoticesRead = Static<typeof NoticesRead>

export const noticesApi = defineApi({
  list: {
    method: 'GET',
    path: '/people/:uid/notices',
    query: Type.Object(PageQuery),
    reply: Page(NoticeFacts),
  },
  read: { method: 'POST', path: '/people/:uid/notices/read', body: NoticesRead, reply: Empty },
})
