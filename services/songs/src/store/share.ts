import { createHash } from 'node:crypto'
import type { ShareRecord } from '@prelude/contracts'
import { FROM_NEWEST, type Query, type Tx } from '@prelude/platform'

/** A row of the table, at the time `$1`. `endedAt` of an expired link is the time when it expired. */
const COLUMNS = `share.id, share.song_id as "songId", token, versions, share.lyrics, download, expires_at as "expiresAt", plays,
  share.created_at as "createdAt", least(ended_at, case when expires_at <= $1 then expires_at end) as "endedAt"`

interface Row extends Omit<ShareRecord, 'token'> {
  readonly token: Buffer
}
const recordOf = ({ token, ...row }: Row): ShareRecord => ({ ...row, token: token.toString('base64url') })

type NewShareRow = Omit<Row, 'plays' | 'endedAt'>

/** No effect when a link with this id exists. */
export async function insertShare(tx: Tx, share: NewShareRow): Promise<void> {
  const { id, songId, token, versions, lyrics, download, expiresAt, createdAt } = share
  await tx.query(
    `insert into share (id, song_id, token, versions, lyrics, download, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (id) do nothing`,
    [id, songId, token, versions, lyrics, download, expiresAt, createdAt],
  )
}

export async function findShare(db: Query, id: string, now: number): Promise<ShareRecord | null> {
  const { rows } = await db.query<Row>(`select ${COLUMNS} from share where id = $2`, [now, id])
  return rows[0] ? recordOf(rows[0]) : null
}

/** Compares hashes: how long the index takes says nothing about a token. */
const hashOf = (token: Buffer): Buffer => createHash('sha256').update(token).digest()

export async function findShareByToken(db: Query, token: Buffer, now: number): Promise<ShareRecord | null> {
  const { rows } = await db.query<Row>(`select ${COLUMNS} from share where sha256(token) = $2`, [
    now,
    hashOf(token),
  ])
  return rows[0] ? recordOf(rows[0]) : null
}

/** Was it a link of an account that was closed? */
export async function isErasedToken(db: Query, token: Buffer): Promise<boolean> {
  const { rows } = await db.query('select from erased_share where token_hash = $1', [hashOf(token)])
  return rows.length > 0
}

export async function countLiveShares(db: Query, songId: string, now: number): Promise<number> {
  const { rows } = await db.query<{ shares: number }>(
    `select count(*) as shares from share
     where song_id = $1 and ended_at is null and (expires_at is null or expires_at > $2)`,
    [songId, now],
  )
  return rows[0]?.shares ?? 0
}

export async function listShares(
  db: Query,
  which: { readonly uid: string; readonly songId: string | undefined; readonly now: number },
  after: readonly [createdAt: number, id: string] | null,
  limit: number,
): Promise<ShareRecord[]> {
  const ofSong = which.songId === undefined ? [] : [which.songId]
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} from share join song on song.id = song_id
     where uid = $2 and (share.created_at, share.id) < ($3, $4) ${ofSong.length > 0 ? 'and song_id = $6' : ''}
     order by share.created_at desc, share.id desc limit $5`,
    [which.now, which.uid, ...(after ?? FROM_NEWEST), limit, ...ofSong],
  )
  return rows.map(recordOf)
}

/** False for one that is not this person's. */
export async function endShare(db: Query, id: string, uid: string, at: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update share set ended_at = coalesce(ended_at, $3) from song where share.id = $1 and song.id = song_id and uid = $2`,
    [id, uid, at],
  )
  return rowCount > 0
}

export function endSharesOf(tx: Tx, songId: string, at: number): void {
  tx.execute('update share set ended_at = $2 where song_id = $1 and ended_at is null', [songId, at])
}

export async function countPlay(db: Query, id: string): Promise<void> {
  await db.query('update share set plays = plays + 1 where id = $1', [id])
}
