import { expect, test } from 'vitest'
import { AccountClosed, folded, type Song, songsApi } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { placedObject } from '@prelude/platform/testing'
import { charge, fulfil, type Songs, startSongs, TEXTS } from './start-songs.ts'

async function request(songs: Songs, lyrics: string, { uid = 'u1', style = 'folk' } = {}): Promise<Song> {
  const body = { ...TEXTS, uid, lyrics, style }
  return songs.api(songsApi).request({ params: { id: newId() }, body })
}
const lyricsOf = (page: { items: Song[] }) => page.items.map((song) => song.lyrics)

test('a list is newest first, and pages neither repeat nor skip when new songs arrive in between', async () => {
  await using songs = await startSongs()
  for (const lyrics of ['1', '2', '3', '4', '5']) await request(songs, lyrics)
  // all in one millisecond: the id decides
  await songs.admin.query('update song set created_at = 1000')
  const { list } = songs.api(songsApi)
  const first = await list({ query: { uid: 'u1', limit: 2 } })
  await request(songs, 'new')
  const second = await list({ query: { uid: 'u1', limit: 2, cursor: first.nextCursor ?? '' } })
  const third = await list({ query: { uid: 'u1', limit: 2, cursor: second.nextCursor ?? '' } })
  expect([first, second, third].flatMap(lyricsOf)).toEqual(['5', '4', '3', '2', '1'])
  expect(third.nextCursor).toBeNull()
})

test('a page that ends exactly at the last song says so', async () => {
  await using songs = await startSongs()
  await request(songs, '1')
  await request(songs, '2')
  expect((await songs.api(songsApi).list({ query: { limit: 2 } })).nextCursor).toBeNull()
})

test('a person sees own songs only; without a person the songs of all are listed', async () => {
  await using songs = await startSongs()
  await request(songs, 'mine')
  await request(songs, 'theirs', { uid: 'u2' })
  const { list } = songs.api(songsApi)
  expect(lyricsOf(await list({ query: { uid: 'u1' } }))).toEqual(['mine'])
  expect(lyricsOf(await list({ query: {} }))).toEqual(['theirs', 'mine'])
})

test('the status narrows a list', async () => {
  await using songs = await startSongs()
  const ready = await request(songs, 'ready')
  await request(songs, 'pending')
  await charge(songs, ready.id)
  await fulfil(songs, ready.id)
  const { list } = songs.api(songsApi)
  expect(lyricsOf(await list({ query: { status: 'ready' } }))).toEqual(['ready'])
  expect(lyricsOf(await list({ query: { status: 'pending', uid: 'u1' } }))).toEqual(['pending'])
})

test('an owner’s list shows every change of a song at once', async () => {
  await using songs = await startSongs()
  const song = await request(songs, 'Grüße, "🎵" \u2028')
  await request(songs, 'another')
  const { list, replaceTake } = songs.api(songsApi)
  const query = {
    uid: 'u1',
    limit: 1,
    cursor: (await list({ query: { limit: 1 } })).nextCursor ?? '',
  }
  const shown = async (): Promise<Song | undefined> => {
    const { items, nextCursor } = await list({ query })
    expect(nextCursor).toBeNull()
    return items[0]
  }
  expect(await shown()).toEqual(song)

  await charge(songs, song.id)
  expect(await shown()).toMatchObject({ charge: 'charged', revision: 2 })
  await fulfil(songs, song.id)
  const [path1, path2] = [`${song.id}/1`, `${song.id}/2`]
  const ready = await shown()
  expect(ready).toMatchObject({ status: 'ready', revision: 3, storagePath1: path1, storagePath2: path2 })
  await replaceTake({ params: { id: song.id, n: 1 }, body: { replaces: path1, object: placedObject('c') } })
  expect(await shown()).toMatchObject({ revision: 4, storagePath1: 'c' })

  await songs.deliver(AccountClosed, { uid: 'u1' })
  expect(await shown()).toBeUndefined()
})

test('a search takes its phrase literally, in any case of any alphabet, in lyrics and style', async () => {
  await using songs = await startSongs()
  await request(songs, '100% love_story \\o/')
  await request(songs, 'ÀÉ ПРИВЕТ STRASSE')
  await request(songs, 'la la', { style: 'Dark Techno' })
  const search = async (q: string) => lyricsOf(await songs.api(songsApi).list({ query: { uid: 'u1', q } }))
  expect(await search('0% LOVE_')).toEqual(['100% love_story \\o/'])
  expect(await search('\\O/')).toEqual(['100% love_story \\o/'])
  expect(await search('%')).toHaveLength(1)
  expect(await search('_')).toHaveLength(1)
  expect(await search('àé привет')).toEqual(['ÀÉ ПРИВЕТ STRASSE'])
  expect(await search('straße')).toEqual(['ÀÉ ПРИВЕТ STRASSE'])
  expect(await search('dark tech')).toEqual(['la la'])
  expect(await search('tech dark')).toEqual([])
  expect(await search("' or 1=1 --")).toEqual([])
  expect(await search('')).toHaveLength(3)
})

/** Words that look the same, or differ in case alone: composed, decomposed, with marks in another order, full-width. */
const SAME = [
  ['\u1ecc\u0300n\u00e0', 'O\u0323\u0300na\u0300', 'o\u0300\u0323NA\u0300'],
  ['caf\u00e9', 'CAFE\u0301'],
  ['\uff26\uff29\uff2e\uff25', 'fine'],
  ['\uac00\ub098', '\u1100\u1161\u1102\u1161'],
  ['Straße', 'STRASSE', 'STRAẞE'],
  ['ΟΔΟΣ', 'οδος'],
  ['ЁЛКА', 'е\u0308лка'],
  ['ﬁn', 'FIN'],
  ['Ση\u0345', 'ΣΗΙ'],
] as const
const DIFFERENT = [
  ['cafe', 'café'],
  ['ọna', 'ona'],
  ['kırık', 'kirik'],
] as const

test('a search finds what looks the same to a reader, in any composition, width and case; the browser folds alike', async () => {
  await using songs = await startSongs()
  const { list } = songs.api(songsApi)
  const finds = async (q: string, lyrics: string): Promise<boolean> =>
    (await list({ query: { uid: 'u1', q } })).items.some((song) => song.lyrics === lyrics)
  for (const word of new Set([...SAME, ...DIFFERENT].flat())) await request(songs, word)
  const pairsOf = (words: readonly string[]) => words.flatMap((a) => words.map((b) => [a, b] as const))
  for (const [a, b] of SAME.flatMap(pairsOf))
    expect([a, b, await finds(a, b), folded(a) === folded(b)]).toEqual([a, b, true, true])
  for (const [a, b] of DIFFERENT)
    expect([a, b, await finds(a, b), folded(a) === folded(b)]).toEqual([a, b, false, false])
})

test('a search of all songs also finds people: words in any order, or the letters and digits of name and address', async () => {
  await using songs = await startSongs()
  const body = { ...TEXTS, username: 'Özil O’Hara', email: 'ozil.7@example.com', lyrics: 'hers' }
  const { list, request: ask } = songs.api(songsApi)
  await ask({ params: { id: newId() }, body: { ...body, uid: 'u2' } })
  await request(songs, 'Strange rain')
  const found = async (query: { q: string; uid?: string; status?: 'ready' }) =>
    lyricsOf(await list({ query }))
  for (const q of ['o’hara ÖZIL', 'özilohara', ' OHARA OZIL', 'ozil7', 'example.com özil', 'HERS'])
    expect(await found({ q })).toEqual(['hers'])
  expect(await found({ q: 'rain strange' })).toEqual([])
  expect(await found({ q: 'özil rain' })).toEqual([])
  expect(await found({ q: 'özil', status: 'ready' })).toEqual([])
  // an owner's search does not read their own name
  expect(await found({ q: 'özil', uid: 'u2' })).toEqual([])
})

test('a cursor that is not ours is refused', async () => {
  await using songs = await startSongs()
  const { list } = songs.api(songsApi)
  const forged = Buffer.from(JSON.stringify([1, 'not-an-id'])).toString('base64url')
  for (const cursor of ['garbage', forged])
    await expect(list({ query: { cursor } })).rejects.toMatchObject({ code: 'invalid_cursor' })
})

async function change(songs: Songs, { id }: Song, body: Partial<Song>): Promise<Song> {
  return songs.api(songsApi).change({ params: { id }, body })
}

test('favourites and archived songs are listed apart, and a search finds titles', async () => {
  await using songs = await startSongs()
  const [a, b, c] = [await request(songs, 'a'), await request(songs, 'b'), await request(songs, 'c')]
  expect(await change(songs, a, { favourite: true, preferred: 2 })).toMatchObject({
    favourite: true,
    preferred: 2,
    archived: false,
    revision: 2,
  })
  await change(songs, b, { archived: true, title: 'Straße, 5 Uhr' })
  await change(songs, c, { title: 'a' })
  const { list } = songs.api(songsApi)
  const found = async (query: object) => lyricsOf(await list({ query: { uid: 'u1', ...query } }))
  expect(await found({})).toEqual(['c', 'b', 'a'])
  expect(await found({ archived: false })).toEqual(['c', 'a'])
  expect(await found({ archived: true })).toEqual(['b'])
  expect(await found({ favourite: true })).toEqual(['a'])
  expect(await found({ favourite: false, archived: false })).toEqual(['c'])
  expect(await found({ q: 'STRASSE, 5' })).toEqual(['b'])
  expect(await found({ q: 'a' })).toEqual(['c', 'b', 'a'])
  expect(await found({ q: 'ab' })).toEqual([]) // no phrase begins in one text and ends in another
  // what changes nothing is no change
  expect((await change(songs, a, { favourite: true })).revision).toBe(2)
  await change(songs, b, { title: null })
  expect(await found({ q: 'strasse' })).toEqual([])
})

test('by title: in the order of people, numbers by value, the newest of one title first, the untitled last, page by page', async () => {
  await using songs = await startSongs()
  const note = `${'\u{1F3B5}'.repeat(119)}!`
  const titles = ['Zug 10', null, 'eins', 'Éclair', null, 'eins', note, 'Äpfel', 'Zug 2']
  for (const [i, title] of titles.entries()) await change(songs, await request(songs, String(i)), { title })
  await songs.admin.query('update song set created_at = 1000 where lyrics::int in (1, 2, 4)')
  const { list } = songs.api(songsApi)
  const query = { uid: 'u1', sort: 'title' } as const
  const whole = lyricsOf(await list({ query }))
  expect(whole).toEqual(['6', '7', '3', '5', '2', '8', '0', '4', '1'])
  const pages: string[] = []
  let cursor: string | null = null
  do {
    const page: { items: Song[]; nextCursor: string | null } = await list({
      query: { ...query, limit: 1, ...(cursor !== null && { cursor }) },
    })
    pages.push(...lyricsOf(page))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(pages).toEqual(whole)
  const { nextCursor } = await list({ query: { uid: 'u1', limit: 1 } })
  await expect(list({ query: { ...query, cursor: nextCursor ?? '' } })).rejects.toMatchObject({
    code: 'invalid_cursor',
  })
})
