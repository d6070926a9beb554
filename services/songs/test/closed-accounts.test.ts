import { AccountClosed, CreditsRefunded, songsApi, VersionsAnalyzed } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { ANSWER, charge, request, type Songs, startSongs } from './start-songs.ts'

const TEXTS = {
  username: 'Ada Obi',
  email: 'ada@example.test',
  lyrics: 'secret words',
  style: 'secret style',
}

const everything = async (songs: Songs): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      ['song', 'erased_song', 'closed_account', 'event', 'dead_letter'].map(
        async (table) => (await songs.admin.query(`select * from ${table}`)).rows,
      ),
    ),
  )

test('a closed account leaves no song, and each causes SongErased', async () => {
  await using songs = await startSongs()
  const ids = [await request(songs, TEXTS), await request(songs, TEXTS)]
  const other = await request(songs, { ...TEXTS, uid: 'u2' })
  await songs.deliver(AccountClosed, { uid: 'u1' })
  for (const id of ids)
    await expect(songs.api(songsApi).get({ params: { id } })).rejects.toMatchObject({
      code: 'song_not_found',
    })
  expect((await songs.api(songsApi).get({ params: { id: other } })).lyrics).toBe(TEXTS.lyrics)
  const erased = (await songs.emitted()).filter(({ type }) => type === 'SongErased')
  expect(erased.map(({ data }) => data)).toEqual(
    expect.arrayContaining(ids.map((songId) => ({ songId, uid: 'u1' }))),
  )
  expect(erased).toHaveLength(2)
  await songs.admin.query(`delete from song where uid = 'u2'`)
  const kept = await everything(songs)
  for (const text of Object.values(TEXTS)) expect(kept).not.toContain(text)
})

test('an answer of the ledger about an erased song is recorded, and emits no event', async () => {
  await using songs = await startSongs()
  const songId = await request(songs)
  await songs.deliver(AccountClosed, { uid: 'u1' })
  const before = (await songs.emitted()).length
  await charge(songs, songId)
  const recorded = async () =>
    (await songs.admin.query<{ charge: string }>('select charge from erased_song')).rows[0]?.charge
  expect(await recorded()).toBe('charged')
  await songs.deliver(CreditsRefunded, { songId, ...ANSWER, amount: 1000 })
  await songs.deliver(VersionsAnalyzed, { songId, uid: 'u1', versions: [] })
  expect(await recorded()).toBe('refunded')
  expect((await songs.emitted()).length).toBe(before)
  expect((await songs.admin.query('select from dead_letter')).rowCount).toBe(0)
})

test('an answer about a song that never existed is refused', async () => {
  await using songs = await startSongs()
  await charge(songs, newId())
  expect((await songs.admin.query('select from dead_letter')).rowCount).toBe(1)
})

test('a request that arrives after its account was closed goes with the next round', async () => {
  await using songs = await startSongs()
  await songs.deliver(AccountClosed, { uid: 'u1' })
  const id = await request(songs)
  const other = await request(songs, { uid: 'u2' })
  await songs.service.jobs?.find(({ name }) => name === 'erase-late-songs')?.run(new AbortController().signal)
  await expect(songs.api(songsApi).get({ params: { id } })).rejects.toMatchObject({ code: 'song_not_found' })
  expect((await songs.api(songsApi).get({ params: { id: other } })).id).toBe(other)
  expect((await songs.emitted()).filter(({ type }) => type === 'SongErased')).toHaveLength(1)
})

test('songs are counted by what closing would do to them', async () => {
  await using songs = await startSongs()
  const songId = await request(songs)
  await request(songs)
  await charge(songs, songId)
  await songs.admin.query(`update song set charge = 'declined' where id <> $1`, [songId])
  expect(await songs.api(songsApi).ofPerson({ params: { uid: 'u1' } })).toEqual({
    ready: 0,
    cooking: 1,
    waiting: 1,
  })
})
