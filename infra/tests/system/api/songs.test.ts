import type { Song } from '@prelude/contracts'
import { beforeAll, expect, test, vi } from 'vitest'
import {
  expectRefusal,
  giveCredits,
  mail,
  POLL,
  productOfFile,
  requestSong,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { mailsTo } from '../../support/mailbox.ts'

const product = productOfFile()
let ada: Somebody
let eve: Somebody
let operator: Somebody

beforeAll(async () => {
  ada = await somebody(product(), { name: 'Ada Obi' })
  eve = await somebody(product())
  operator = await unlockedOperator(product())
})

interface List {
  items: Song[]
  nextCursor: string | null
}

const refused: [unknown, 'lyrics_and_style_required' | 'text_too_long' | 'invalid_request'][] = [
  [{}, 'lyrics_and_style_required'],
  [{ lyrics: 'la' }, 'lyrics_and_style_required'],
  [{ style: 'x' }, 'lyrics_and_style_required'],
  [{ lyrics: '', style: 'x' }, 'lyrics_and_style_required'],
  [{ lyrics: 'la', style: ' \t\n\u00a0\u2003\u3000\u0085' }, 'lyrics_and_style_required'],
  [{ lyrics: '😀'.repeat(10_001), style: 'x' }, 'text_too_long'],
  [{ lyrics: 'la', style: 'x'.repeat(1001) }, 'text_too_long'],
  [{ lyrics: 5, style: 'x' }, 'invalid_request'],
]

test('lyrics and style are both required and limited in code points; a refused request stores nothing', async () => {
  for (const [json, code] of refused)
    expectRefusal(
      await eve.call('POST', '/api/songs', { json }),
      400,
      code,
      code === 'lyrics_and_style_required' ? 'Please provide lyrics and style of song.' : undefined,
    )
  expect((await eve.call<List>('GET', '/api/songs')).body).toEqual({ items: [], nextCursor: null })
})

test('texts are stored unchanged, up to the last code point', async () => {
  const json = { lyrics: ` 😀${'é'.repeat(9_997)}\u200b`, style: `\r\n${'ß'.repeat(998)}` }
  const { status, body } = await ada.call<Song>('POST', '/api/songs', { json })
  expect(status).toBe(201)
  const { body: read } = await ada.call<Song>('GET', `/api/songs/${body.id}`)
  expect(read).toMatchObject(json)
})

test('a song has every field of the contract, and waits when there are no credits', async () => {
  const song = await requestSong(ada, { lyrics: 'fields', style: 'folk' })
  expect(song).toEqual({
    id: expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    ) as string,
    uid: ada.uid,
    username: 'Ada Obi',
    email: ada.email,
    lyrics: 'fields',
    style: 'folk',
    status: 'pending',
    charged: false,
    charge: 'declined',
    revision: expect.any(Number) as number,
    createdAt: expect.any(Number) as number,
    updatedAt: null,
    title: null,
    favourite: false,
    preferred: null,
    archived: false,
    brief: null,
    promisedAt: null,
    startedAt: null,
    closedAt: null,
    closedReason: null,
    changes: null,
    takes: null,
    acceptedAt: null,
    certificate: null,
    timeline: [
      { state: 'requested', at: song.createdAt },
      { state: 'waiting', at: expect.any(Number) as number },
    ],
    downloadUrl1: null,
    downloadUrl2: null,
  })
})

test('a song costs ten credits, and waiting songs are charged oldest first', async () => {
  const singer = await somebody(product())
  const first = await requestSong(singer, { lyrics: 'first' })
  const second = await requestSong(singer, { lyrics: 'second' })
  expect([first.charge, second.charge]).toEqual(['declined', 'declined'])
  await giveCredits(operator, singer.uid, 19.99)
  const after = await vi.waitFor(async () => {
    const { body } = await singer.call<Song>('GET', `/api/songs/${first.id}`)
    expect(body).toMatchObject({ charge: 'charged', charged: true })
    return body
  }, POLL)
  expect(after.revision).toBeGreaterThan(first.revision)
  expect((await singer.call<Song>('GET', `/api/songs/${second.id}`)).body.charge).toBe('declined')
  expect((await singer.call<{ balance: number }>('GET', '/api/credits')).body.balance).toBe(9.99)
  await giveCredits(operator, singer.uid, 10.01)
  await vi.waitFor(async () => {
    expect((await singer.call<Song>('GET', `/api/songs/${second.id}`)).body.charge).toBe('charged')
    expect((await singer.call<{ balance: number }>('GET', '/api/credits')).body.balance).toBe(10)
  }, POLL)
  expect((await requestSong(singer)).charge).toBe('charged')
})

test('the list has the own songs only, newest first, filtered by state and by one literal phrase, case-insensitive', async () => {
  const singer = await somebody(product())
  const texts = [
    ['100% pure_gold', 'folk'],
    ['nothing', 'Slow %_ JAZZ'],
    ['İstanbul ÉCOLE straße', 'x'],
    ['a\\b "quoted" (paren', "it's"],
  ]
  for (const [lyrics, style] of texts) await singer.call('POST', '/api/songs', { json: { lyrics, style } })
  const found = async (query: string): Promise<string[]> => {
    const { status, body } = await singer.call<List>('GET', `/api/songs?${query}`)
    expect(status).toBe(200)
    return body.items.map(({ lyrics }) => lyrics.slice(0, 7))
  }
  expect(await found('')).toEqual(['a\\b "qu', 'İstanbu', 'nothing', '100% pu'])
  expect(await found('status=pending&limit=2')).toEqual(['a\\b "qu', 'İstanbu'])
  expect(await found('status=ready')).toEqual([])
  for (const [q, lyrics] of [
    ['PURE_', '100% pu'],
    ['%_', 'nothing'],
    ['slow %_ jazz', 'nothing'],
    ['école', 'İstanbu'],
    ['STRASSE', 'İstanbu'],
    ['a\\b', 'a\\b "qu'],
    ["'", 'a\\b "qu'],
    ['(', 'a\\b "qu'],
    ['"quoted" (', 'a\\b "qu'],
  ])
    expect([q, await found(`q=${encodeURIComponent(q ?? '')}`)]).toEqual([q, [lyrics]])
  for (const q of ['pure gold', '.*', 'nothing slow', '_%_', '\u00e9\u00e9'])
    expect(await found(`q=${encodeURIComponent(q)}`)).toEqual([])
  expect(await found('q=')).toHaveLength(4)
  for (const query of ['status=', 'status=done', 'status=READY', 'status[]=ready&status[]=x'])
    if (!query.includes('['))
      expectRefusal(await singer.call('GET', `/api/songs?${query}`), 400, 'invalid_request')
})

test("another person's song is not found, except for the unlocked operator, who sees its paths", async () => {
  const song = await requestSong(ada)
  const paths = ['', '/versions/1', '/versions/2/waveform', '/download']
  for (const path of paths) {
    expectRefusal(
      await eve.call('GET', `/api/songs/${song.id}${path}`),
      404,
      'song_not_found',
      'Song not found.',
    )
    const locked = await somebody(product(), { email: operator.email, name: 'Olu' })
    expectRefusal(await locked.call('GET', `/api/songs/${song.id}${path}`), 404, 'song_not_found')
  }
  const seen = await operator.call<Song>('GET', `/api/songs/${song.id}`)
  expect(seen.body).toMatchObject({ id: song.id, storagePath1: null, storagePath2: null })
  expect((await eve.call<List>('GET', '/api/songs?q=la')).body.items).toEqual([])
  for (const version of ['0', '3', '01', '1.0', 'x'])
    expectRefusal(await ada.call('GET', `/api/songs/${song.id}/versions/${version}`), 404, 'song_not_found')
  expectRefusal(await ada.call('GET', `/api/songs/${song.id}/versions/1`), 404, 'song_not_found')
  expectRefusal(await ada.call('GET', `/api/songs/${song.id}/versions/1/waveform`), 404, 'waveform_not_ready')
  expectRefusal(await ada.call('GET', `/api/songs/${song.id}/download`), 404, 'song_not_found')
})

test('the operator gets one mail a song, with complete lyrics, style and e-mail address; a line break cannot forge a header', async () => {
  const singer = await somebody(product(), { name: 'Eve\r\nBcc: all@example.test' })
  const style = `unique-style\r\nBcc: all@example.test`
  await requestSong(singer, { lyrics: 'line one\nline <b>two</b>\n.\nafter the dot', style })
  const notice = await mail(product(), 'operator@prelude.test', /unique-style/)
  expect(notice.text.replaceAll('\r\n', '\n')).toContain('line one\nline <b>two</b>\n.\nafter the dot')
  expect(notice.text).toContain(singer.email)
  expect(notice.html).toContain('line &lt;b&gt;two&lt;/b&gt;')
  expect(notice.html).not.toContain('<b>two')
  expect(notice.to).toEqual(['operator@prelude.test'])
  expect(await mailsTo(product(), 'all@example.test')).toEqual([])
})
