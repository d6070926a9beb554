import { expect, test } from 'vitest'
import { songsApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { testService } from '@prelude/platform/testing'
import { createSongs, songsInvariants } from '../src/index.ts'

/** One way to break each rule. */
const BREACHES: Record<string, string> = {
  'a ready song has both versions and a time of fulfilment, a pending one has neither': `storage_path1 = 'a'`,
  'no song was handed out unpaid unless as a gift': `status = 'ready'`,
  'a revision starts at 1': 'revision = 0',
  'credits has answered every request within an hour': 'created_at = created_at - 3600001',
  'only a charged, pending song is held for a refund': 'refund_held = true',
  'an object belongs to one version of one song': `storage_path1 = 'a', storage_path2 = 'a'`,
}

test('a healthy song breaks no rule, and each rule finds the song that breaks it', async () => {
  await using songs = await testService((deps) => createSongs(deps))
  const { rows: checks } = await songs.admin.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = 'song'::regclass and contype = 'c'`,
  )
  for (const { name } of checks) await songs.admin.query(`alter table song drop constraint "${name}"`)
  for (const { name, sql } of songsInvariants) {
    const id = newId()
    const body = { uid: 'u1', username: 'Ada', email: 'ada@example.com', lyrics: 'la', style: 'folk' }
    await songs.api(songsApi).request({ params: { id }, body })
    expect({ name, breaches: (await songs.admin.query(sql)).rowCount }).toEqual({ name, breaches: 0 })
    await songs.admin.query(`update song set ${BREACHES[name]} where id = $1`, [id])
    expect({ name, breaches: (await songs.admin.query(sql)).rowCount }).toEqual({ name, breaches: 1 })
    await songs.admin.query('delete from song')
  }
})
