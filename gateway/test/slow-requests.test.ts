import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Browser, startGateway, type TestGateway } from './start-gateway.ts'

/** Requests that begin and do not go on: each is ended after 15 s and leaves nothing behind; a long upload is let through. */

const SENT_BYTES = 200_000
const ENDED = { timeout: 30_000, interval: 100 }

let uploadedBytes = 0
const services = {
  payments: (app: FastifyInstance) => void app.post('/webhooks/:provider', async () => ({})),
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
  gateway = await startGateway({ services })
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await gateway[Symbol.asyncDispose]()
})

/** Sends the bytes on a connection of its own, and nothing more. */
function sendAndWait(...parts: readonly (string | Buffer)[]): { text: string; ended: boolean } {
  const received = { text: '', ended: false }
  const socket = connect(gateway.port, '127.0.0.1', () => parts.forEach((part) => socket.write(part)))
  socket.on('data', (data) => (received.text += data.toString()))
  socket.on('error', () => {}).on('close', () => (received.ended = true))
  sockets.push(socket)
  return received
}

const cookieOf = ({ cookies }: Browser): string => [...cookies].map((pair) => pair.join('=')).join('; ')

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
function heldBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

test('what is not whole after 15 s is answered 408, closed, and leaves no memory; an upload goes on', async () => {
  const cookie = cookieOf(await gateway.signIn())
  const operator = await gateway.operator()
  const before = heldBytes()

  const half = Buffer.alloc(SENT_BYTES, 'x')
  const post = (path: string): string => `POST ${path} HTTP/1.1\r\nhost: x\r\ncookie: ${cookie}\r\n`
  const halfBody = (path: string) =>
    sendAndWait(
      `${post(path)}content-type: application/json\r\ncontent-length: ${SENT_BYTES + 1}\r\n\r\n`,
      half,
    )
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const uploading = operator.send('/api/operator/uploads/1', {
    method: 'PATCH',
    headers: { 'content-type': 'application/offset+octet-stream' },
    body: readable,
    duplex: 'half',
  })
  await writer.write(half)
  const bodies = Array.from({ length: 75 }, () => halfBody('/api/songs'))
  const webhooks = Array.from({ length: 267 }, () => halfBody('/api/webhooks/stripe'))
  const slowHeaders = sendAndWait(post('/api/songs'))
  const silent = sendAndWait()

  // the 257th webhook and those after it are refused at once
  const isRefused = ({ text }: { text: string }): boolean => text.startsWith('HTTP/1.1 503 ')
  await vi.waitFor(() => expect(webhooks.filter(isRefused)).toHaveLength(11), ENDED)
  expect(webhooks.find(isRefused)?.text).toMatch(/retry-after: \d/)
  await vi.waitFor(() => expect(heldBytes() - before).toBeGreaterThan(75 * SENT_BYTES), ENDED)

  const late = [...bodies, ...webhooks.filter((one) => !isRefused(one)), slowHeaders]
  await vi.waitFor(() => expect(late.filter(({ ended }) => !ended)).toEqual([]), ENDED)
  for (const { text } of late) {
    expect(text).toMatch(/^HTTP\/1.1 408 /)
    expect(text).toContain('"code":"request_timeout"')
    expect(text).toMatch(/connection: close/i)
  }
  // the rest of what was refused is not waited for either
  await vi.waitFor(() => expect(webhooks.filter(({ ended }) => !ended)).toEqual([]), ENDED)
  await vi.waitFor(() => expect(silent).toEqual({ text: '', ended: true }), ENDED)
  await vi.waitFor(() => expect(heldBytes() - before).toBeLessThan(10 * SENT_BYTES), ENDED)

  await writer.write(half)
  await writer.close()
  expect((await uploading).status).toBe(204)
  expect(uploadedBytes).toBe(2 * SENT_BYTES)
  // their places are free again
  expect((await gateway.visitor().post('/api/webhooks/stripe', {})).status).toBe(200)
}, 60_000)

test('a webhook has 256 KiB at most', async () => {
  const send = (bytes: number) => gateway.visitor().post('/api/webhooks/stripe', `"${'x'.repeat(bytes - 2)}"`)
  expect((await send(256 * 1024)).status).toBe(200)
  const refused = await send(256 * 1024 + 1)
  expect([refused.status, (await refused.json()).code]).toEqual([413, 'body_too_large'])
})
