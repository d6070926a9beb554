import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Payment, Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { afterEach, expect, test } from 'vitest'
import { fulfil } from '../../support/audio-files.ts'
import {
  sharedProduct,
  requestSong,
  somebody,
  type Somebody,
  unlockedOperator,
} from '../../support/callers.ts'
import { startCheckout } from '../../support/checkout.ts'
import { press } from '../../support/checkout-page.ts'

const product = await sharedProduct()
const operator = await unlockedOperator(product)
const open = new Set<ClientRequest>()
afterEach(() => {
  for (const one of open) one.destroy()
  open.clear()
})

interface LiveEvent {
  readonly event: string
  readonly data: Record<string, unknown>
}

interface Stream {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly received: LiveEvent[]
  /** ms since the epoch, once it ended. */
  endedAt: number | null
  close(): void
}

async function listen(person: Somebody): Promise<Stream> {
  const outgoing = request(new URL('/api/live', product.endpoints.web), {
    headers: { cookie: person.cookie },
    agent: false,
  })
  open.add(outgoing)
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const stream: Stream = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    received: [],
    endedAt: null,
    close: () => outgoing.destroy(),
  }
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1]
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (event !== undefined)
        stream.received.push({ event, data: JSON.parse(data ?? '{}') as LiveEvent['data'] })
    }
  })
  const end = (): void => {
    stream.endedAt ??= Date.now()
  }
  response.on('end', end).on('error', end).on('close', end)
  if (stream.status === 200) await eventually(() => expect(stream.received[0]?.event).toBe('ready'))
  return stream
}

const receivedOf = (stream: Stream, event: string): Record<string, unknown>[] =>
  stream.received.filter((one) => one.event === event).map(({ data }) => data)

const receives = (
  stream: Stream,
  event: string,
  like: Record<string, unknown>,
): Promise<Record<string, unknown>> =>
  eventually(() => {
    const found = receivedOf(stream, event).find((data) =>
      Object.entries(like).every(([key, value]) => data[key] === value),
    )
    expect(found).toBeDefined()
    return found ?? {}
  })

test('a stream begins with ready and sends songs, credits and payments of its person in the shape of the API', async () => {
  const ada = await somebody(product)
  const eve = await somebody(product)
  const [stream, others] = await Promise.all([listen(ada), listen(eve)])
  expect(stream.headers['content-type']).toMatch(/^text\/event-stream/)
  expect(stream.headers['content-encoding']).toBeUndefined()
  const song = await requestSong(ada)
  await receives(stream, 'song', { id: song.id, charge: 'declined' })
  const checkout = await startCheckout(ada, 25)
  await press(checkout, 'pay')
  await receives(stream, 'payment', { id: checkout.id, status: 'paid' })
  await receives(stream, 'credits', { balance: 15 })
  const charged = await receives(stream, 'song', { id: song.id, charge: 'charged' })
  expect(charged).toEqual((await ada.call<Song>('GET', `/api/songs/${song.id}`)).body)
  await eventually(async () => {
    const payment = (await ada.call<Payment>('GET', `/api/payments/${checkout.id}`)).body
    expect(receivedOf(stream, 'payment').at(-1)).toEqual(payment)
  })
  expect((await fulfil(operator, song.id)).status).toBe(200)
  const ready = await receives(stream, 'song', { id: song.id, status: 'ready' })
  expect(ready).not.toHaveProperty('storagePath1')
  const revisions = receivedOf(stream, 'song').map(({ revision }) => Number(revision))
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
  expect(others.received.map(({ event }) => event)).toEqual(['ready'])
})

test('the unlocked operator receives the songs and transfers of everybody; after a lock the stream has none', async () => {
  const session = await unlockedOperator(product)
  const stream = await listen(session)
  const ada = await somebody(product)
  const song = await requestSong(ada)
  const event = await receives(stream, 'operator-song', { id: song.id })
  expect(event).toHaveProperty('storagePath1', null)
  const announce = await ada.call<Payment>('POST', '/api/payments/naira-transfers', {
    json: {},
    headers: { 'cf-ipcountry': 'NG' },
  })
  expect(await receives(stream, 'operator-transfer', { id: announce.body.id })).toEqual({
    id: announce.body.id,
    uid: ada.uid,
    email: ada.email,
    status: 'open',
    createdAt: announce.body.createdAt,
  })
  const own = await listen(ada)
  await session.call('POST', `/api/operator/songs/${song.id}/messages`, { json: { text: 'Ngozi?' } })
  await eventually(() => {
    const [person, desk] = [receivedOf(own, 'song'), receivedOf(stream, 'operator-song')]
    expect([person.at(-1), desk.at(-1)]).toMatchObject([
      { id: song.id, messages: { count: 1, unread: 1 } },
      { id: song.id, messages: { count: 1, unread: 0 } },
    ])
  })
  expect((await session.call('POST', '/api/operator/lock')).status).toBe(204)
  const other = await listen(operator)
  const late = await requestSong(ada, { lyrics: 'late' })
  await receives(other, 'operator-song', { id: late.id })
  expect(receivedOf(stream, 'operator-song').map(({ id }) => id)).not.toContain(late.id)
  expect(stream.endedAt).toBeNull()
  const { password } = product.endpoints.operator
  await session.call('POST', '/api/operator/unlock', { json: { password } })
  // the session has another id: its browser connects again
  await eventually(() => expect(stream.endedAt).not.toBeNull())
  const next = await listen(session)
  const again = await requestSong(ada, { lyrics: 'again' })
  await receives(next, 'operator-song', { id: again.id })
})
