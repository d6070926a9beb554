import { AccountClosed, messagesApi, type Side, songsApi, STANDARD_TERMS } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { expect, test } from 'vitest'
import { brokenRules, charge, fulfil, request, type Songs, startSongs } from './start-songs.ts'

/** What owner and operator write to each other about a song. */

const DAY = 24 * 60 * 60_000
const EVER = 8.64e15
const api = (songs: Songs) => songs.api(messagesApi)
const write = (songs: Songs, id: string, from: Side, text = 'hm', messageId = newId()) =>
  api(songs).write({ params: { id, messageId }, body: { from, text } })
const read = (songs: Songs, id: string, by: Side, before = EVER) =>
  api(songs).read({ params: { id }, body: { by, before } })
const get = (songs: Songs, id: string) => songs.api(songsApi).get({ params: { id } })
const textsOf = async (songs: Songs, id: string) =>
  (await api(songs).list({ params: { id }, query: {} })).items.map(({ text }) => text)
const emitted = async (songs: Songs, type: string) =>
  (await songs.emitted()).filter((event) => event.type === type).map(({ data }) => data)

test('messages are listed newest first, and each side counts what it has not read', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  const messageId = newId()
  const first = await write(songs, id, 'studio', 'Ngozi or Ngozie?', messageId)
  expect(first).toEqual({
    id: messageId,
    from: 'studio',
    text: 'Ngozi or Ngozie?',
    at: first.at,
    readAt: null,
  })
  const before = await get(songs, id)
  expect(before).toMatchObject({
    revision: 2,
    updatedAt: null,
    messages: { count: 1, unread: 1 },
    unreadByOperator: 0,
  })
  // the answer was lost
  expect(await write(songs, id, 'studio', 'another text', messageId)).toEqual(first)
  expect(await get(songs, id)).toEqual(before)

  const answer = await write(songs, id, 'owner', 'Ngozi')
  const last = await write(songs, id, 'studio', 'Thanks')
  expect(answer.at).toBeGreaterThan(first.at)
  expect(await get(songs, id)).toMatchObject({
    revision: 4,
    messages: { count: 3, unread: 2 },
    unreadByOperator: 1,
  })
  const page = await api(songs).list({ params: { id }, query: { limit: 2 } })
  const rest = await api(songs).list({ params: { id }, query: { cursor: page.nextCursor ?? '' } })
  expect([...page.items, ...rest.items]).toEqual([last, answer, first])
  expect((await api(songs).unread({ params: { id }, query: { from: 'studio' } })).items).toEqual([
    first,
    last,
  ])

  await read(songs, id, 'owner', first.at)
  expect(await get(songs, id)).toMatchObject({
    revision: 5,
    messages: { count: 3, unread: 1 },
    unreadByOperator: 1,
  })
  expect(await emitted(songs, 'MessagesRead')).toEqual([])
  await read(songs, id, 'owner')
  await read(songs, id, 'owner')
  await read(songs, id, 'studio')
  expect(await get(songs, id)).toMatchObject({
    revision: 7,
    updatedAt: null,
    messages: { unread: 0 },
    unreadByOperator: 0,
  })
  const readAts = (await api(songs).list({ params: { id }, query: {} })).items.map(({ readAt }) => readAt)
  expect(readAts).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)])
  const song = { songId: id, uid: 'u1' }
  expect(await emitted(songs, 'MessagesRead')).toEqual([{ ...song, at: last.at }])
  expect(await emitted(songs, 'MessageWritten')).toEqual([
    { ...song, from: 'studio', at: first.at, unread: 1 },
    { ...song, from: 'owner', at: answer.at, unread: 1 },
    { ...song, from: 'studio', at: last.at, unread: 2 },
  ])
  expect(await brokenRules(songs)).toEqual([])
})

test('messages end some days after a song was accepted or closed, before their number matters', async () => {
  await using songs = await startSongs({ ...STANDARD_TERMS, messagesDays: 0.5 })
  const [accepted, closed] = [await request(songs), await request(songs)]
  for (const id of [accepted, closed]) await charge(songs, id)
  await fulfil(songs, accepted)
  await songs.api(songsApi).accept({ params: { id: accepted } })
  await songs.api(songsApi).cancel({ params: { id: closed } })
  songs.clock.pass(DAY / 2 - 60_000)
  for (const id of [accepted, closed]) await write(songs, id, 'owner')
  await songs.admin.query(`update song set messages = jsonb_set(messages, '{owner,count}', '150')`)
  songs.clock.pass(60_000)
  for (const id of [accepted, closed])
    for (const side of ['owner', 'studio'] as const)
      await expect(write(songs, id, side)).rejects.toMatchObject({ code: 'messages_closed' })
  expect(await textsOf(songs, closed)).toEqual(['hm'])
  await read(songs, closed, 'studio')
  expect((await get(songs, closed)).unreadByOperator).toBe(0)
})

test('one side writes 150 messages at most, and both 200', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  const set = (owner: number, studio: number) =>
    songs.admin.query(
      `update song set messages = jsonb_set(jsonb_set(messages, '{owner,count}', $1), '{studio,count}', $2)`,
      [String(owner), String(studio)],
    )
  const refused = { code: 'too_many_messages' }
  await set(149, 0)
  await write(songs, id, 'owner')
  await expect(write(songs, id, 'owner')).rejects.toMatchObject(refused)
  await set(150, 49)
  await write(songs, id, 'studio')
  await expect(write(songs, id, 'studio')).rejects.toMatchObject(refused)
  expect(await textsOf(songs, id)).toEqual(['hm', 'hm'])
})

test('concurrent messages have times of their own, also when the clock of the database goes back', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await Promise.all([1, 2, 3].map((n) => write(songs, id, n === 1 ? 'owner' : 'studio')))
  songs.clock.pass(-DAY)
  await write(songs, id, 'owner', 'the last')
  const { items } = await api(songs).list({ params: { id }, query: {} })
  expect(items.map(({ text }) => text)).toEqual(['the last', 'hm', 'hm', 'hm'])
  expect(new Set(items.map(({ at }) => at)).size).toBe(4)
  expect(await brokenRules(songs)).toEqual([])
})

test('the operator lists the songs with unread messages, also of one status', async () => {
  await using songs = await startSongs()
  const [unread, answered, other] = [await request(songs), await request(songs), await request(songs)]
  for (const id of [unread, answered, other]) await write(songs, id, 'owner')
  await write(songs, await request(songs), 'studio')
  await read(songs, answered, 'studio')
  await charge(songs, other)
  await fulfil(songs, other)
  const list = async (query: object) =>
    (await songs.api(songsApi).list({ query: { unread: true, ...query } })).items.map(({ id }) => id)
  expect(await list({})).toEqual([other, unread])
  expect(await list({ status: 'pending' })).toEqual([unread])
  expect(await list({ stage: 'delivered' })).toEqual([other])
})

test('messages go with the account of their owner, and a song that is not there has none', async () => {
  await using songs = await startSongs()
  const id = await request(songs)
  await write(songs, id, 'owner', 'secret words')
  await songs.deliver(AccountClosed, { uid: 'u1' })
  expect((await songs.admin.query('select from message')).rowCount).toBe(0)
  const { rows } = await songs.admin.query('select data from event')
  expect(JSON.stringify(rows)).not.toContain('secret words')
  for (const call of [write(songs, id, 'owner'), read(songs, id, 'studio')])
    await expect(call).rejects.toMatchObject({ code: 'song_not_found' })
})
