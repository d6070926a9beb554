import { expect, test } from 'vitest'
import { songsApi } from '@prelude/contracts'
import { type AppError, newId, type Tx } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import { blockedConnections, holdOpen } from '@prelude/platform/testing'
import { insertSongs } from '../src/store/song.ts'
import { decline, type Songs, startSongs, TEXTS } from './start-songs.ts'

/** How many requests of one person may wait for credits. */

/** As the gateway asks for it, so that this many may wait. */
const requestOf = (songs: Songs, uid: string, mostWaiting: number | undefined = 3, id = newId()) =>
  songs
    .api(songsApi)
    .request({ params: { id }, body: { uid, ...TEXTS, ...(mostWaiting > 0 && { mostWaiting }) } })
    .then(
      (song) => song.id,
      (error: AppError) => error.code,
    )

/** So many requests of `u1` that wait. */
async function waiting(songs: Songs, count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => requestOf(songs, 'u1', 0)))
  for (const id of ids) await decline(songs, id)
  return ids
}
const cancel = (songs: Songs, id: string) => songs.api(songsApi).cancel({ params: { id } })

test('a person of whose requests as many wait as may is refused another one, until one is charged', async () => {
  await using songs = await startSongs()
  const first = await requestOf(songs, 'u1')
  // undecided ones may all be declined
  const undecided = [await requestOf(songs, 'u1'), await requestOf(songs, 'u1')]
  expect(await requestOf(songs, 'u1')).toBe('too_many_waiting')
  await decline(songs, first)
  expect(await requestOf(songs, 'u1')).toBe('too_many_waiting')
  for (const id of undecided) await decline(songs, id)
  expect(await requestOf(songs, 'u1')).toBe('too_many_waiting')
  // a repeat of an accepted one, another person, and a caller without a limit are not refused
  expect(await requestOf(songs, 'u1', 3, first)).toBe(first)
  expect(await requestOf(songs, 'u2')).toMatch(/-/)
  expect(await requestOf(songs, 'u1', 0)).toMatch(/-/)
  expect((await songs.emitted()).filter(({ type }) => type === 'SongRequested')).toHaveLength(5)

  await songs.admin.query(`update song set charge = 'charged' where uid = 'u1' and id <> $1`, [first])
  expect(await requestOf(songs, 'u1')).toMatch(/-/)
})

test('what was cancelled does not wait any more, and hides nothing that waits', async () => {
  await using songs = await startSongs()
  for (const id of await waiting(songs, 3)) await cancel(songs, id)
  await waiting(songs, 2)
  const more = await requestOf(songs, 'u1')
  expect(more).toMatch(/-/)
  await decline(songs, more)
  expect(await requestOf(songs, 'u1')).toBe('too_many_waiting')
  for (const id of await waiting(songs, 10)) await cancel(songs, id)
  expect(await requestOf(songs, 'u1')).toBe('too_many_waiting')
})

test('of requests at the same time as many are accepted as may still wait', async () => {
  await using songs = await startSongs()
  const repeated = newId()
  const ids = [repeated, repeated, ...Array.from({ length: 28 }, () => newId())]
  const outcomes = await Promise.all(ids.map((id) => requestOf(songs, 'u1', 20, id)))
  const refused = outcomes.filter((outcome) => outcome === 'too_many_waiting')
  const accepted = new Set(outcomes.filter((outcome) => outcome !== 'too_many_waiting'))
  expect(accepted.size).toBe(20)
  expect(refused.length).toBeGreaterThanOrEqual(9)
  const { rows } = await songs.admin.query<{ count: number }>('select count(*) as count from song')
  expect(rows[0]?.count).toBe(20)
})

test('of requests at the same time in two instances as many are accepted as may still wait', async () => {
  await using songs = await startSongs()
  await waiting(songs, 2)
  const insert = async (tx: Tx): Promise<number> => {
    const song = {
      id: newId(),
      uid: 'u1',
      ...TEXTS,
      brief: null,
      priceCents: 1000,
      readyBy: null,
      createdAt: songs.clock.now(),
      mostWaiting: 3,
    }
    return (await insertSongs(tx, [song])).length
  }
  const commit = await holdOpen(songs.db, insert)
  const second = songs.db.transaction(insert)
  await eventually(async () => expect(await blockedConnections(songs.admin)).toBe(1))
  expect([await commit(), await second]).toEqual([1, 0])
})

test('of a batch the requests of each person are counted on their own', async () => {
  await using songs = await startSongs()
  await waiting(songs, 2)
  // of u2 nothing is decided yet, and as many may wait
  const outcomes = await Promise.all(
    ['u1', 'u2', 'u1', 'u2', 'u1', 'u2', 'u2'].map(async (uid) => [uid, await requestOf(songs, uid)]),
  )
  const refused = (who: string) =>
    outcomes.filter(([uid, outcome]) => uid === who && outcome === 'too_many_waiting').length
  expect([refused('u1'), refused('u2')]).toEqual([2, 1])
})
