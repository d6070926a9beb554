import { randomUUID } from 'node:crypto'
import type { Song, SongMessage } from '@prelude/contracts'
import { expect, test } from 'vitest'
import {
  expectRefusal,
  mail,
  requestSong,
  sharedProduct,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'

/** What owner and operator write to each other about a song. */

const product = await sharedProduct()
const operator = await unlockedOperator(product)
const [ada, eve] = [await somebody(product), await somebody(product)]

const messagesOf = (id: string) => `/api/songs/${id}/messages`
const deskOf = (id: string) => `/api/operator/songs/${id}/messages`
const write = (who: Somebody, path: string, text: unknown) =>
  who.call<SongMessage>('POST', path, { json: { text } })
const read = (who: Somebody, path: string, before: unknown) =>
  who.call('POST', `${path}/read`, { json: { before } })
const songOf = async (who: Somebody, id: string) => (await who.call<Song>('GET', `/api/songs/${id}`)).body

test('owner and operator write, read and count for themselves, and the audit says that the operator did', async () => {
  const { id } = await requestSong(ada)
  const [own, desk] = [messagesOf(id), deskOf(id)]
  const asked = await write(operator, desk, 'Ngozi or Ngozie?')
  expect(asked.status).toBe(201)
  expect(asked.body).toEqual({
    id: expect.any(String),
    from: 'studio',
    text: 'Ngozi or Ngozie?',
    at: expect.any(Number),
    readAt: null,
  })
  const { body: answered } = await write(ada, own, ' Ngozi ')
  expect(answered).toMatchObject({ from: 'owner', text: ' Ngozi ' })
  for (const who of [ada, operator]) {
    expect((await who.call('GET', own)).body).toEqual({ items: [answered, asked.body], nextCursor: null })
    expect(await songOf(who, id)).toMatchObject({ messages: { count: 2, unread: 1 }, updatedAt: null })
  }
  expect(await songOf(ada, id)).not.toHaveProperty('unreadByOperator')
  const unread = async (query: string) => {
    const page = await operator.call<{ items: Song[] }>('GET', `/api/operator/songs?unread=true${query}`)
    return page.body.items.map((song) => song.id)
  }
  expect(await unread('&status=pending')).toContain(id)
  expect(await unread('&status=ready')).not.toContain(id)
  expectRefusal(await operator.call('GET', '/api/operator/songs?unread=false'), 400, 'invalid_request')

  // before it is read: what is read by then is not in a mail
  expect((await mail(product, ada.email, /message about/)).text).toContain('Ngozi or Ngozie?')
  const { revision } = await songOf(ada, id)
  expect((await read(ada, own, asked.body.at)).status).toBe(204)
  expect((await read(operator, desk, Date.now() + 60_000)).status).toBe(204)
  for (const who of [ada, operator])
    expect(await songOf(who, id)).toMatchObject({ revision: revision + 2, messages: { count: 2, unread: 0 } })
  expect((await read(ada, own, 0)).status).toBe(204)
  expect((await songOf(ada, id)).revision).toBe(revision + 2)
  const audit = await operator.call<{ items: { action: string; target: string }[] }>(
    'GET',
    '/api/operator/audit',
  )
  expect(
    audit.body.items.filter(({ target, action }) => target === id && action === 'write-message'),
  ).toMatchObject([{ outcome: 'ok', detail: null }])
})

test('an operator writes to owners at the desk, and as the owner about songs of their own', async () => {
  const { id } = await requestSong(operator)
  expect((await write(operator, messagesOf(id), 'mine')).body.from).toBe('owner')
  expect((await songOf(operator, id)).messages).toEqual({ count: 1, unread: 0 })
  expect((await write(operator, deskOf(id), 'ours')).body.from).toBe('studio')
  expect((await songOf(operator, id)).messages).toEqual({ count: 2, unread: 1 })
})

test('a message is refused for its sender, its text and its song, in this order', async () => {
  const { id } = await requestSong(ada)
  for (const text of ['', ' \n\u00A0', null, 7, 'x'.repeat(2_001)]) {
    expectRefusal(await write(ada, messagesOf(randomUUID()), text), 400, 'invalid_request')
    expectRefusal(await write(operator, deskOf('none'), text), 400, 'invalid_request')
  }
  expect((await write(ada, messagesOf(id), '🥁'.repeat(2_000))).status).toBe(201)
  expectRefusal(await write(ada, messagesOf(id), 'a\0'), 400, 'invalid_text')
  for (const before of [-1, 1.5, null, '1', 8.64e15 + 2])
    expectRefusal(await read(ada, messagesOf(randomUUID()), before), 400, 'invalid_request')
  for (const who of [eve, operator]) {
    expectRefusal(await write(who, messagesOf(id), 'hm'), 404, 'song_not_found')
    expectRefusal(await read(who, messagesOf(id), 1), 404, 'song_not_found')
  }
  expectRefusal(await eve.call('GET', messagesOf(id)), 404, 'song_not_found')
  for (const unknown of ['none', randomUUID()]) {
    expectRefusal(await write(operator, deskOf(unknown), 'hm'), 404, 'song_not_found')
    expectRefusal(await read(operator, deskOf(unknown), 1), 404, 'song_not_found')
  }
  expectRefusal(await write(ada, deskOf(id), ''), 403, 'operator_only')
  expectRefusal(await ada.call('GET', `${messagesOf(id)}?cursor=garbage`), 400, 'invalid_cursor')
})
