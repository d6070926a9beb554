import type { Side, SongMessage } from '@prelude/contracts'
import { FROM_NEWEST, type Query, type Tx } from '@prelude/platform'

const COLUMNS = 'id, sender as "from", text, at, read_at as "readAt"'

export async function findMessage(db: Query, songId: string, id: string): Promise<SongMessage | null> {
  const { rows } = await db.query<SongMessage>(
    `select ${COLUMNS} from message where song_id = $1 and id = $2`,
    [songId, id],
  )
  return rows[0] ?? null
}

/** Under the lock of the song. Its time is later than that of each message before it, whatever the clock says. */
export async function insertMessage(
  tx: Tx,
  songId: string,
  { id, from, text, at }: Omit<SongMessage, 'readAt'>,
): Promise<SongMessage> {
  const { rows } = await tx.query<SongMessage>(
    `insert into message (id, song_id, sender, text, at)
     select $1, $2, $3, $4, greatest($5, (select max(at) + 1 from message where song_id = $2)) returning ${COLUMNS}`,
    [id, songId, from, text, at],
  )
  const [message] = rows
  if (!message) throw new Error('the message was not inserted')
  return message
}

/** Of a song, newest first, `limit` messages after the one at `after`. */
export async function listMessages(
  db: Query,
  songId: string,
  { after, limit }: { after: readonly [at: number, id: string] | null; limit: number },
): Promise<SongMessage[]> {
  const { rows } = await db.query<SongMessage>(
    `select ${COLUMNS} from message where song_id = $1 and (at, id) < ($2, $3) order by at desc, id desc limit $4`,
    [songId, ...(after ?? FROM_NEWEST), limit],
  )
  return rows
}

/** What this side wrote and the other has not read, oldest first. */
export async function listUnread(db: Query, songId: string, from: Side): Promise<SongMessage[]> {
  const { rows } = await db.query<SongMessage>(
    `select ${COLUMNS} from message where song_id = $1 and sender = $2 and read_at is null order by at`,
    [songId, from],
  )
  return rows
}

/** Marks what this side wrote up to `before`; answers the times of what had not been read. */
export async function markRead(
  tx: Tx,
  songId: string,
  { from, before, now }: { from: Side; before: number; now: number },
): Promise<number[]> {
  const { rows } = await tx.query<{ at: number }>(
    `update message set read_at = $4 where song_id = $1 and sender = $2 and at <= $3 and read_at is null returning at`,
    [songId, from, before, now],
  )
  return rows.map(({ at }) => at)
}
