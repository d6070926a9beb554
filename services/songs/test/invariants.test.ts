import { expect, test } from 'vitest'
import { songsApi } from '@prelude/contracts'
import { newId, timeIn } from '@prelude/platform'
import { testService } from '@prelude/platform/testing'
import { createSongs, songsInvariants } from '../src/index.ts'

const set = (change: string): string => `update song set ${change} where id = $1`
const take = (number: number): string =>
  `insert into take (song_id, version, take, object_id, path, content_type, size_bytes, sha256, duration_ms)
   values ($1, 1, ${number}, gen_random_uuid(), 'a', 'audio/mpeg', 1, '', 1000)`

/** A way to break each rule, or several. */
const BREACHES: Record<string, string | readonly string[]> = {
  'a ready song has both versions and a time of fulfilment, a pending one has neither': take(1),
  'the takes of a version are numbered from 1': take(2),
  'no song was handed out unpaid unless as a gift': set(`status = 'ready'`),
  'every link names a ready song that is there, and none to a refunded song is open': `insert into share
     (id, song_id, token, versions, lyrics, download, created_at) values (gen_random_uuid(), $1, decode(repeat('00', 16), 'hex'), '{1}', true, true, 1)`,
  'every certificate names a song that is ready, or was erased': `insert into certificate (id, song_id, issued_at, files)
     values (gen_random_uuid(), $1, 1, '[]')`,
  'the certificate that every ready song has is of its newest takes': set(`status = 'ready'`),
  'a song counts the messages of each side, and the unread ones': `insert into message (id, song_id, sender, text, at)
     values (gen_random_uuid(), $1, 'studio', 'hm', 1)`,
  'a revision starts at 1': set('revision = 0'),
  'credits has answered every request within an hour': set('created_at = created_at - 3600001'),
  'a promise is given exactly for what was charged or begun': [
    set(`charge = 'charged'`),
    set(`charge = 'charged', status = 'ready'`),
    set(`charge = 'gift', started_at = 1`),
    set(`charge = 'declined', promised_at = 1`),
  ],
  'the charge of a closed song is refunded within an hour': set(
    `status = 'cancelled', charge = 'charged', promised_at = 1, closed_at = 1`,
  ),
  'a song that is late is marked as late within an hour': set(`charge = 'charged', promised_at = 1`),
}

test('a healthy song breaks no rule, and each rule finds the song that breaks it', async () => {
  await using songs = await testService((deps) => createSongs(deps))
  const { rows: checks } = await songs.admin.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = 'song'::regclass and contype = 'c'`,
  )
  for (const { name } of checks) await songs.admin.query(`alter table song drop constraint "${name}"`)
  const breaches = async (sql: string) =>
    (await songs.admin.query(sql, timeIn(sql, songs.clock.now()))).rowCount
  for (const { name, sql } of songsInvariants)
    for (const breach of [BREACHES[name] ?? ''].flat()) {
      const id = newId()
      const body = { uid: 'u1', username: 'Ada', email: 'ada@example.com', lyrics: 'la', style: 'folk' }
      await songs.api(songsApi).request({ params: { id }, body })
      expect({ name, breaches: await breaches(sql) }).toEqual({ name, breaches: 0 })
      await songs.admin.query(breach, [id])
      expect({ breach, breaches: await breaches(sql) }).toEqual({ breach, breaches: 1 })
      await songs.admin.query('delete from song; delete from certificate')
    }
})
