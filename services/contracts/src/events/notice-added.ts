import { Type } from 'typebox'
import { NoticeKind } from '../api/notices.ts'
import { Nullable, Time } from '../api/operation.ts'
import { defineEvent, Id } from './event.ts'

export const NoticeAdded = defineEvent(
  'prelude.notifier',
  'NoticeAdded',
  { for: [] },
  'A person has a new notice, or one that was there has another time or was read. `at` is the time of its cause.',
  Type.Object({
    noticeId: Id,
    uid: Id,
    kind: NoticeKind,
    songId: Nullable(Id),
    at: Time,
    readAt: Type.Optional(Time),
  }),
)
