import { STANDARD_TERMS } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { blockedConnections, holdOpen } from '@prelude/platform/testing'
import { expect, test } from 'vitest'
import { DAY_MS } from '../src/domain/song.ts'
import { markLateAndAccepted } from '../src/jobs/mark-late-and-accepted.ts'
import { charge, request, startSongs } from './start-songs.ts'

test('of two instances that find a song late in the same millisecond one emits it', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await charge(songs, id)
  const now = songs.clock.now() + 2 * DAY_MS
  const clock = { ...songs.clock, databaseNow: async () => now }
  const release = await holdOpen(songs.db, (tx) =>
    tx.query('select from song where id = $1 for update', [id]),
  )
  const { signal } = new AbortController()
  const rounds = [1, 2].map(() => markLateAndAccepted(songs.db, clock, STANDARD_TERMS).run(signal))
  await eventually(async () => expect(await blockedConnections(songs.admin)).toBe(2))
  await Promise.all([release(), ...rounds])
  const late = (await songs.emitted()).filter(({ type }) => type === 'SongLate')
  expect(late.map(({ data }) => data)).toEqual([{ songId: id, uid: 'u1' }])
})
