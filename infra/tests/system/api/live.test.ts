import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Payment, Song } from '@prelude/contracts'
import { eventually } from '@prelude/platform/eventually'
import { expect, onTestFinished, test } from 'vitest'
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

interface LiveEvent {
  readonly event: string
  readonly data: Record<string, unknown>
}

interface Stream {
  readonly headers: IncomingMessage['headers']
  readonly received: LiveEvent[]
}

async function listen(person: Somebody): Promise<Stream> {
  const outgoing = request(new URL('/api/live', product.endpoints.web), {
    headers: { cookie: person.cookie },
    agent: false,
  })
  onTestFinished(() => void outgoing.destroy())
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  const received: LiveEvent[] = []
  let rest = ''
  response.setEncoding('utf8')
  response.on('error', () => {}) // it is cut off at the end
  response.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1]
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (event !== undefined) received.push({ event, data: JSON.parse(data ?? '{}') as LiveEvent['data'] })
    }
  })
  await eventually(() => expect(received[0]?.event).toBe('ready'))
  return { headers: response.headers, received }
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
