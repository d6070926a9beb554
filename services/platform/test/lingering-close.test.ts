import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { internalApp } from '../src/index.ts'
import { testIdentity, testLogger } from './support/index.ts'

test('a refused call with a streamed body can send the whole of it before its connection closes', async () => {
  const app = internalApp({ identity: testIdentity('storage'), logger: testLogger(), clock: systemClock })
  app.addContentTypeParser('audio/wav', (_request, _body, done) => done(null))
  app.post('/uploads', async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const body = Buffer.alloc(5 * 1024 * 1024)
  const { port } = app.server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const failed = vi.fn<(error: Error) => void>()
  let text = ''
  socket.on('data', (data) => (text += data.toString())).on('error', failed)
  const head = ['POST /uploads HTTP/1.1', 'host: x', 'content-type: audio/wav', 'connection: close']
  socket.write([...head, `content-length: ${body.length + 1}`, '', 'x'].join('\r\n'))
  await once(socket, 'end')
  expect(text).toMatch(/^HTTP\/1.1 404 /)
  const closed = once(socket, 'close')
  await promisify((done: (error?: Error | null) => void) => socket.write(body, done))()
  socket.end()
  await closed
  expect(failed).not.toHaveBeenCalled()
  await app.close()
})
