import { connect, type Socket } from 'node:net'
import { AppError } from '@prelude/platform'
import { eventually } from '@prelude/platform/eventually'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startGateway, type TestGateway } from './start-gateway.ts'

/** Requests that begin and do not go on: each is ended after 15 s and holds nothing afterwards; a long upload is let through. */

const WITHIN_MS = 15_000
const SENT_BYTES = 1_000
/** Webhooks at the same time, of a provider and of an address. */
const [MOST, MOST_OF_ADDRESS] = [256, 8]

let uploadedBytes = 0
let isAlternateOff = false
const services = {
  payments: (app: FastifyInstance): void => {
    app.post('/webhooks/:provider', async () => ({}))
    app.get('/webhooks/:provider', async () => {
      if (isAlternateOff) throw new AppError('bad_signature')
      return {}
    })
  },
  storage: (app: FastifyInstance) => {
    app.addContentTypeParser('application/offset+octet-stream', (_request, body, done) => done(null, body))
    app.patch('/uploads/:id', async (request, reply) => {
      for await (const chunk of request.body as AsyncIterable<Buffer>) uploadedBytes += chunk.length
      return reply.code(204).send()
    })
  },
}

let gateway: TestGateway
const sockets: Socket[] = []
beforeAll(async () => {
  gateway = await startGateway({ services, config: { trustedProxyHops: 1 } })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway[Symbol.asyncDispose]()
})

interface Answer {
  text: string
  ended: boolean
}

/** Sends the bytes on a connection of its own, and nothing more. */
function sendAndWait(port: number, ...parts: readonly (string | Buffer)[]): Answer {
  const received = { text: '', ended: false }
  const socket = connect(port, '127.0.0.1', () => parts.forEach((part) => socket.write(part)))
  socket.on('data', (data) => (received.text += data.toString()))
  socket.on('error', () => {}).on('close', () => (received.ended = true))
  sockets.push(socket)
  return received
}

const cookieOf = ({ cookies }: Browser): string => [...cookies].map((pair) => pair.join('=')).join('; ')
const post = (path: string, cookie = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n`
const half = Buffer.alloc(SENT_BYTES, 'x')
const halfBody = (path: string, cookie = '', headers = ''): Answer =>
  sendAndWait(
    gateway.port,
    `${post(path, cookie)}${headers}content-type: application/json\r\ncontent-length: ${SENT_BYTES + 1}\r\n\r\n`,
    half,
  )

/** Each is answered 408 and closed, whenever the gateway has received it. */
async function expectEnded(late: readonly Answer[]): Promise<void> {
  await eventually(() => {
    gateway.clock.pass(WITHIN_MS)
    expect(late.filter(({ ended }) => !ended)).toEqual([])
  })
  for (const { text } of late) {
    expect(text).toMatch(/^HTTP\/1.1 408 /)
    expect(text).toContain('"code":"request_timeout"')
    expect(text).toMatch(/connection: close/i)
  }
}

test('a body that is not whole after 15 s is answered 408 and closed, and an upload that takes longer goes on', async () => {
  uploadedBytes = 0
  const cookie = cookieOf(await gateway.signIn())
  const operator = await gateway.operator()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const uploading = operator.send('/api/operator/uploads/1', {
    method: 'PATCH',
    headers: { 'content-type': 'application/offset+octet-stream' },
    body: readable,
    duplex: 'half',
  })
  await writer.write(half)
  await eventually(() => expect(uploadedBytes).toBe(SENT_BYTES))
  await expectEnded(['/api/songs', '/api/songs', '/api/client-errors'].map((path) => halfBody(path, cookie)))
  await writer.write(half)
  await writer.close()
  expect((await uploading).status).toBe(204)
  expect(uploadedBytes).toBe(2 * SENT_BYTES)
})

/** Half a webhook of one of many addresses. */
const halfWebhook = (address: number, provider = 'stripe'): Answer =>
  halfBody(`/api/webhooks/${provider}`, '', `x-forwarded-for: 203.0.113.${address}\r\n`)
const isRefused = ({ text }: Answer): boolean => text.startsWith('HTTP/1.1 503 ')
const webhook = async (address: number): Promise<number> =>
  (await gateway.visitor().post('/api/webhooks/stripe', {}, { 'x-forwarded-for': `203.0.113.${address}` }))
    .status

test('of webhooks that do not go on 8 of an address and 256 of a provider are waited for, others are refused at once, and their slots are free again', async () => {
  const addresses = Array.from({ length: MOST / MOST_OF_ADDRESS }, (_, address) => address)
  const ofAll = addresses.map((address) => ({
    address,
    webhooks: Array.from({ length: MOST_OF_ADDRESS + 1 }, () => halfWebhook(address)),
  }))
  for (const { webhooks } of ofAll) await eventually(() => expect(webhooks.filter(isRefused)).toHaveLength(1))
  expect(ofAll[0]?.webhooks.find(isRefused)?.text).toMatch(/retry-after: \d/)
  expect(await webhook(MOST)).toBe(503)
  const other = halfWebhook(MOST, 'paystack')
  const waiting = ofAll.flatMap(({ webhooks }) => webhooks.filter((one) => !isRefused(one)))
  await expectEnded([...waiting, other])
  expect(await webhook(0)).toBe(200)
})

test('a provider that is off is answered before its webhook is read, and one address leaves the others theirs', async () => {
  isAlternateOff = true
  const off = halfWebhook(1, 'paystack')
  await eventually(() => expect(off.text).toMatch(/^HTTP\/1.1 400 [^]*"code":"bad_signature"/))
  isAlternateOff = false
  const webhooks = Array.from({ length: MOST_OF_ADDRESS + 1 }, () => halfWebhook(1))
  await eventually(() => expect(webhooks.filter(isRefused)).toHaveLength(1))
  expect([await webhook(1), await webhook(2)]).toEqual([503, 200])
  await expectEnded(webhooks.filter((one) => !isRefused(one)))
})

test('a head that is not whole in time is answered 408, and a connection that sends nothing is closed', async () => {
  await using impatient = await startGateway({ config: { headersWithinMs: 300 } })
  const slow = sendAndWait(impatient.port, post('/api/songs'))
  const silent = sendAndWait(impatient.port)
  await eventually(() => expect([slow.ended, silent]).toEqual([true, { text: '', ended: true }]))
  expect(slow.text).toMatch(/^HTTP\/1.1 408 /)
  expect(slow.text).toContain('"code":"request_timeout"')
})

test('a webhook has 256 KiB at most', async () => {
  const send = (bytes: number) => gateway.visitor().post('/api/webhooks/stripe', `"${'x'.repeat(bytes - 2)}"`)
  expect((await send(256 * 1024)).status).toBe(200)
  const refused = await send(256 * 1024 + 1)
  expect([refused.status, (await refused.json()).code]).toEqual([413, 'body_too_large'])
})
