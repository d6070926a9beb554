import { type Notice, NoticeAdded, type NoticeKind } from '@prelude/contracts'
import { type Cause, FROM_NEWEST, newId, type Query, type Tx } from '@prelude/platform'
import { queuePushes } from './push.ts'

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
  const ready: { uid: string; songId: string | null }[] = []
  for (const { id: noticeId } of rows) {
    const one = notices.get(noticeId)
    if (!one) continue
    const { uid, kind, songId, at } = one.row
    tx.emit(NoticeAdded, { noticeId, uid, kind, songId, at }, one.cause)
    if (kind === 'ready') ready.push({ uid, songId })
  }
  await queuePushes(tx, ready, now)
}

/** A person's notices, newest first, `limit` of them after the one at `after`. */
export async function listNotices(
  db: Query,
  uid: string,
  { after, limit }: { after: readonly [at: number, id: string] | null; limit: number },
): Promise<Notice[]> {
  const { rows } = await db.query<Notice>(
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
