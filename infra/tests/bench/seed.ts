import type { BenchProduct } from './product.ts'

/**
 * `count` songs of each person that wait for credits, one a millisecond from `firstAt` on; in SQL, since songs submitted over
 * the API would queue hours of mails.
 */
export async function seedSongs(
  { db }: BenchProduct,
  uids: readonly string[],
  { firstAt, count }: { firstAt: number; count: number },
): Promise<void> {
  await db.query(
    `insert into songs.song (id, uid, username, email, lyrics, style, charge, revision, created_at)
     select uuidv7(), uid, 'Bench', 'bench@prelude.test', repeat('la ', 100), 'style ' || i, 'declined', 2, $2::bigint + i
     from unnest($1::text[]) uid, generate_series(0, $3::integer - 1) i`,
    [uids, firstAt, count],
  )
  await db.query(
    `insert into credits.waiting_song (song_id, uid, requested_at)
     select id, uid, now() from songs.song where uid = any($1::text[])`,
    [uids],
  )
  await db.query('vacuum analyze songs.song')
  await db.query('checkpoint') // or it would run during the benchmark
}
