import type { Query, Tx } from '@prelude/platform'
import type { SongState } from '../domain/song.ts'

/** A song as it lies in its table. */
export interface SongRecord extends SongState {
  readonly id: string
  readonly uid: string
  readonly username: string
  readonly email: string
  readonly lyrics: string
  readonly style: string
  readonly revision: number
  readonly createdAt: number
}

export type NewSong = Pick<SongRecord, 'id' | 'uid' | 'username' | 'email' | 'lyrics' | 'style' | 'createdAt'>

const COLUMNS = `id, uid, username, email, lyrics, style, status, charge, refund_held as "refundHeld", revision,
  created_at as "createdAt", updated_at as "updatedAt", storage_path1 as "storagePath1", storage_path2 as "storagePath2"`

/** Null when a song with this id is there already. */
export async function insertSong(tx: Tx, song: NewSong): Promise<SongRecord | null> {
  const { rows } = await tx.query<SongRecord>(
    `insert into song (id, uid, username, email, lyrics, style, created_at) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (id) do nothing returning ${COLUMNS}`,
    [song.id, song.uid, song.username, song.email, song.lyrics, song.style, song.createdAt],
  )
  return rows[0] ?? null
}

export async function findSong(db: Query, id: string): Promise<SongRecord | null> {
  const { rows } = await db.query<SongRecord>(`select ${COLUMNS} from song where id = $1`, [id])
  return rows[0] ?? null
}

/** Locked until the transaction ends: changes of one song come one after the other. */
export async function lockSong(tx: Tx, id: string): Promise<SongRecord | null> {
  const { rows } = await tx.query<SongRecord>(`select ${COLUMNS} from song where id = $1 for update`, [id])
  return rows[0] ?? null
}

export async function saveSong(tx: Tx, song: SongRecord): Promise<void> {
  await tx.query(
    `update song set status = $2, charge = $3, refund_held = $4, revision = $5, updated_at = $6, storage_path1 = $7,
       storage_path2 = $8 where id = $1`,
    [
      song.id,
      song.status,
      song.charge,
      song.refundHeld,
      song.revision,
      song.updatedAt,
      song.storagePath1,
      song.storagePath2,
    ],
  )
}

/** Newest first, `limit` songs after the one at `after`. `q` is one literal phrase in lyrics or style, in any case. */
export async function listSongs(
  db: Query,
  filter: {
    uid: string | undefined
    q: string | undefined
    status: string | undefined
    after: readonly [createdAt: number, id: string] | undefined
    limit: number
  },
): Promise<SongRecord[]> {
  const params: unknown[] = []
  const bind = (value: unknown): string => `$${params.push(value)}`
  const where = ['true']
  if (filter.uid !== undefined) where.push(`uid = ${bind(filter.uid)}`)
  if (filter.status !== undefined) where.push(`status = ${bind(filter.status)}`)
  if (filter.q !== undefined) {
    const phrase = folded(`${bind(filter.q)}::text`)
    where.push(
      `(position(${phrase} in ${folded('lyrics')}) > 0 or position(${phrase} in ${folded('style')}) > 0)`,
    )
  }
  if (filter.after !== undefined)
    where.push(`(created_at, id) < (${bind(filter.after[0])}::bigint, ${bind(filter.after[1])}::uuid)`)
  const { rows } = await db.query<SongRecord>(
    `select ${COLUMNS} from song where ${where.join(' and ')} order by created_at desc, id desc
     limit ${bind(filter.limit)}`,
    params,
  )
  return rows
}

/** The collation is named because the server's own may know the case of ASCII letters only. */
const folded = (text: string): string => `casefold(${text} collate pg_unicode_fast)`

/** Those of these object paths that a song names. */
export async function findNamedPaths(db: Query, paths: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ path: string }>(
    `select storage_path1 as path from song where storage_path1 = any($1::text[])
     union select storage_path2 from song where storage_path2 = any($1::text[])`,
    [paths],
  )
  return rows.map((row) => row.path)
}
