import { NoticeAdded, type NoticeFacts, type NoticeKind } from '@prelude/contracts'
import { type Cause, FROM_NEWEST, newId, type Query, type Tx } from '@prelude/platform'
import { type NewPush, queuePushes } from './push.ts'

export interface NewNotice {
  readonly kind: NoticeKind
  readonly uid: string
  readonly songId: string | null
  /** Of what it is about, unless that happens once for its song. */
  readonly subject?: string
}

/**
 * Adds notices, each once per cause, in the transaction of their events, and queues the pushes of those that are new. For a
 * person whose account was closed none.
 */
export async function addNotices(
  tx: Tx,
  added: readonly { readonly notice: NewNotice; readonly cause: Cause & { readonly at: number } }[],
  now: number,
): Promise<void> {
  if (added.length === 0) return
  const notices = new Map(
    added.map(({ notice: { subject, ...notice }, cause }) => {
      const id = newId()
      const key = `${notice.kind}:${subject ?? notice.songId}`
      return [id, { row: { id, ...notice, at: cause.at, key }, cause }]
    }),
  )
  const { rows } = await tx.query<{ id: string }>(
    `insert into notice (id, cause, uid, kind, song_id, at)
     select id, key, uid, kind, "songId", at
     from json_to_recordset($1) as added (id uuid, key text, uid text, kind text, "songId" text, at bigint)
     on conflict (cause) do nothing returning id`,
    [JSON.stringify([...notices.values()].map(({ row }) => row))],
  )
  const ready: NewPush[] = []
  for (const { id: noticeId } of rows) {
    const one = notices.get(noticeId)
    if (!one) continue
    const { uid, kind, songId, at } = one.row
    tx.emit(NoticeAdded, { noticeId, uid, kind, songId, at }, one.cause)
    if (kind === 'ready') ready.push({ uid, songId, kind })
  }
  await queuePushes(tx, ready, now)
}

const PUSH_EVERY_MS = 60 * 60_000

/**
 * The one notice about a song's unread messages: it moves to the time of the newest, and pushes once an hour. A repeated event
 * changes nothing.
 */
export async function addMessageNotice(
  tx: Tx,
  { uid, songId, at }: { readonly uid: string; readonly songId: string; readonly at: number },
  cause: Cause,
  now: number,
): Promise<void> {
  const { rows } = await tx.query<{ id: string; pushes: boolean }>(
    `insert into notice as known (id, cause, uid, kind, song_id, at, pushed_at) values ($1, $2, $3, 'message', $4, $5, $6)
     on conflict (cause) do update set at = $5, read_at = null,
       pushed_at = case when known.pushed_at > $6 - ${PUSH_EVERY_MS} then known.pushed_at else $6 end
     where known.at < $5 returning id, pushed_at = $6 as pushes`,
    [newId(), messageCause(songId), uid, songId, at, now],
  )
  for (const { id: noticeId, pushes } of rows) {
    tx.emit(NoticeAdded, { noticeId, uid, kind: 'message', songId, at }, cause)
    if (pushes) await queuePushes(tx, [{ uid, songId, kind: 'message' }], now)
  }
}

/** All messages up to `at` were read. */
export async function readMessageNotice(
  tx: Tx,
  { uid, songId, at }: { readonly uid: string; readonly songId: string; readonly at: number },
  cause: Cause,
  now: number,
): Promise<void> {
  const { rows } = await tx.query<{ id: string; at: number }>(
    `update notice set read_at = $3 where cause = $1 and at <= $2 and read_at is null returning id, at`,
    [messageCause(songId), at, now],
  )
  for (const { id: noticeId, at: addedAt } of rows)
    tx.emit(NoticeAdded, { noticeId, uid, kind: 'message', songId, at: addedAt, readAt: now }, cause)
}

const messageCause = (songId: string): string => `message:${songId}`

/** A person's notices, newest first, `limit` of them after the one at `after`. */
export async function listNotices(
  db: Query,
  uid: string,
  { after, limit }: { after: readonly [at: number, id: string] | null; limit: number },
): Promise<NoticeFacts[]> {
  const { rows } = await db.query<NoticeFacts>(
    `select id, kind, song_id as "songId", at, read_at as "readAt" from notice
     where uid = $1 and (at, id) < ($2, $3) order by at desc, id desc limit $4`,
    [uid, ...(after ?? FROM_NEWEST), limit],
  )
  return rows
}

/** Marks a person's notices up to this time as read, inclusive. */
export async function markRead(
  db: Query,
  uid: string,
  { before, now }: { before: number; now: number },
): Promise<void> {
  await db.query('update notice set read_at = $3 where uid = $1 and at <= $2 and read_at is null', [
    uid,
    before,
    now,
  ])
}
