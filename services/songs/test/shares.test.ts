import { expect, test } from 'vitest'
import { AccountClosed, type Song, sharesApi, songsApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { charge, fulfil, request, type Songs, startSongs } from './start-songs.ts'

async function readySong(songs: Songs, uid = 'u1'): Promise<Song> {
  const id = await request(songs, { uid })
  await charge(songs, id, uid)
  return fulfil(songs, id)
}
const PLAIN = { versions: [1 as const, 2 as const], lyrics: false, download: false, expiresAt: null }
const share = (songs: Songs, { id: songId }: { id: string }, given: object = {}, id = newId()) =>
  songs.api(sharesApi).create({ params: { id }, body: { songId, ...PLAIN, ...given } })
const open = (songs: Songs, token: string) => songs.api(sharesApi).open({ body: { token } })

test('a link opens its song until it is ended, and is listed for its owner alone', async () => {
  await using songs = await startSongs()
  const song = await readySong(songs)
  const id = newId()
  const made = await share(songs, song, { lyrics: true }, id)
  expect(made).toMatchObject({ ...PLAIN, id, songId: song.id, lyrics: true, plays: 0, endedAt: null })
  expect(Buffer.from(made.token, 'base64url')).toHaveLength(16)
  expect(await share(songs, song, {}, id)).toEqual(made) // a repeated call makes no second one
  expect(await open(songs, made.token)).toEqual({
    share: made,
    song,
    durationsMs: { 1: expect.any(Number) as number, 2: expect.any(Number) as number },
  })
  await songs.api(sharesApi).countPlay({ params: { id } })
  const { list, end } = songs.api(sharesApi)
  const query = { uid: 'u1', songId: song.id }
  expect((await list({ query })).items).toEqual([{ ...made, plays: 1 }])
  expect((await list({ query: { ...query, uid: 'u2' } })).items).toEqual([])
  const others = { params: { id }, body: { uid: 'u2' } }
  await expect(end(others)).rejects.toMatchObject({ code: 'share_not_found' })
  for (const _ of [1, 2]) await end({ params: { id }, body: { uid: 'u1' } })
  await expect(open(songs, made.token)).rejects.toMatchObject({ code: 'share_ended' })
  expect((await list({ query })).items[0]?.endedAt).toBeGreaterThan(0)
})

test('a token that is none, or is written in another way, finds nothing', async () => {
  await using songs = await startSongs()
  const { token } = await share(songs, await readySong(songs))
  for (const other of [
    '',
    'x',
    `${token}=`,
    `${token}\n`,
    Buffer.alloc(16).toString('base64url'),
    'é'.repeat(22),
  ])
    await expect(open(songs, other)).rejects.toMatchObject({ code: 'share_not_found' })
})

test('a link whose time is over has ended then, and makes room for another', async () => {
  await using songs = await startSongs()
  const song = await readySong(songs)
  const expiresAt = songs.clock.now() + 3_600_000
  const { token } = await share(songs, song, { expiresAt })
  for (let made = 1; made < 20; made++) await share(songs, song)
  await expect(share(songs, song)).rejects.toMatchObject({ code: 'too_many_shares' })
  songs.clock.pass(3_600_000)
  await expect(open(songs, token)).rejects.toMatchObject({ code: 'share_ended' })
  await share(songs, song)
  const { items } = await songs.api(sharesApi).list({ query: { uid: 'u1', songId: song.id } })
  expect(items.map(({ endedAt }) => endedAt)).toEqual([...Array<null>(20).fill(null), expiresAt])
})

test('of many links that are made at once only twenty are', async () => {
  await using songs = await startSongs()
  const song = await readySong(songs)
  const made = await Promise.allSettled(Array.from({ length: 25 }, () => share(songs, song)))
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
})

test('links end with a refund, and a song that is not ready or given back gets none', async () => {
  await using songs = await startSongs()
  const song = await readySong(songs)
  const { token } = await share(songs, song)
  const refund = { params: { id: song.id }, body: { reason: 'noise', delivered: true } }
  await songs.api(songsApi).refund(refund)
  await expect(open(songs, token)).rejects.toMatchObject({ code: 'share_ended' })
  await expect(share(songs, song)).rejects.toMatchObject({ code: 'song_not_charged' })
  const pending = { id: await request(songs) }
  await expect(share(songs, pending)).rejects.toMatchObject({ code: 'song_not_ready' })
})

test('links end with the account, and nothing but a hash is left of them', async () => {
  await using songs = await startSongs()
  const { token } = await share(songs, await readySong(songs))
  const { token: other } = await share(songs, await readySong(songs, 'u2'))
  await songs.deliver(AccountClosed, { uid: 'u1' })
  await expect(open(songs, token)).rejects.toMatchObject({ code: 'share_ended' })
  expect((await open(songs, other)).song.uid).toBe('u2')
  expect((await songs.admin.query('select id from share')).rows).toHaveLength(1)
  const { rows } = await songs.admin.query<{ text: string }>(
    'select erased_share::text as text from erased_share',
  )
  expect(rows[0]?.text).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
})
