import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { internalApp } from '../src/index.ts'
import { eventually } from './support/eventually.ts'
import { testIdentity, testLogger } from './support/index.ts'

afterEach(() => void vi.useRealTimers())

/** A call that is refused before the 5 MB of its body have come. */
async function refusedCall() {
  const app = internalApp({ identity: testIdentity('storage'), logger: testLogger(), clock: systemClock })
  app.addContentTypeParser('audio/wav', (_request, _body, done) => done(null))
  app.post('/uploads', async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const rest = Buffer.alloc(5 * 1024 * 1024)
  const { port } = app.server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const failed = vi.fn<(error: Error) => void>()
  let text = ''
  socket.on('data', (data) => (text += data.toString())).on('error', failed)
  const head = ['POST /uploads HTTP/1.1', 'host: x', 'content-type: audio/wav', 'connection: close']
  socket.write([...head, `content-length: ${rest.length + 1}`, '', 'x'].join('\r\n'))
  await once(socket, 'end')
  expect(text).toMatch(/^HTTP\/1.1 404 /)
  return {
    socket,
    rest,
    failed,
    closed: once(socket, 'close'),
    connections: promisify(app.server.getConnections.bind(app.server)),
    [Symbol.asyncDispose]: async () => {
      socket.destroy()
      await app.close()
    },
  }
}

test('a refused call with a streamed body can send the whole of it before its connection closes', async () => {
  await using call = await refusedCall()
  await promisify((done: (error?: Error | null) => void) => call.socket.write(call.rest, done))()
  call.socket.end()
  await call.closed
  expect(call.failed).not.toHaveBeenCalled()
})

test('a refused call that sends nothing for 15 s is disconnected', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await using call = await refusedCall()
  expect(await call.connections()).toBe(1)
  await eventually(async () => {
    vi.advanceTimersByTime(15_000)
    expect(await call.connections()).toBe(0)
  })
})
