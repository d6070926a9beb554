import { STANDARD_TERMS } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, test } from 'vitest'
import { DAY_MS } from '../src/domain/song.ts'
import { noticeTime } from '../src/notice-time.ts'
import { charge, request, startSongs } from './start-songs.ts'

test('of two instances that find a song late in the same millisecond one emits it', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await charge(songs, id)
  const now = songs.clock.now() + 2 * DAY_MS
  const clock = { ...songs.clock, databaseNow: async () => now }
  const locked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const holder = songs.db.transaction(async (tx) => {
    await tx.query('select from song where id = $1 for update', [id])
    locked.resolve()
    await release.promise
  })
  await locked.promise
  const { signal } = new AbortController()
  const rounds = [1, 2].map(() => noticeTime(songs.db, clock, STANDARD_TERMS).run(signal))
  await eventually(async () => {
    const { rowCount } = await songs.admin.query(
      'select from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()',
    )
    expect(rowCount).toBe(2)
  })
  release.resolve()
  await Promise.all([holder, ...rounds])
  const late = (await songs.emitted()).filter(({ type }) => type === 'SongLate')
  expect(late.map(({ data }) => data)).toEqual([{ songId: id, uid: 'u1' }])
})
