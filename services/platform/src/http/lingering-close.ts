import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const CHECK_EVERY_MS = 15_000
/** Between two checks; a client that sends slower is disconnected. */
const MIN_BYTES = 256 * 1024
const MAX_BYTES = 512 * 1024 * 1024
const MAX_MS = 5 * 60_000

/**
 * Lingering close. A response that is sent before its request is whole reaches ordinary clients only if the rest of the body
 * is read: closing a connection with unread bytes resets it, and the client loses the response. So the rest is read and
 * dropped, for a while, and only then is the connection closed.
 */
export function registerLingeringClose(app: FastifyInstance): void {
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const { raw } = request
    // Node calls this after the last response of a connection
    if (isUnfinished(raw))
      raw.socket.destroySoon = () =>
        raw.complete ? Socket.prototype.destroySoon.call(raw.socket) : void raw.socket.end()
    done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (isUnfinished(request.raw)) dropRest(request.raw)
    done()
  })
}

/** An injected request has no socket. */
const isUnfinished = (request: IncomingMessage): boolean =>
  request.socket instanceof Socket && !request.complete && !request.destroyed

function dropRest(request: IncomingMessage): void {
  const { socket } = request
  const [begunAt, bytesBefore] = [performance.now(), socket.bytesRead]
  let bytesRead = bytesBefore
  const check = setInterval(() => {
    const isSlow = socket.bytesRead - bytesRead < MIN_BYTES
    bytesRead = socket.bytesRead
    if (isSlow || bytesRead - bytesBefore > MAX_BYTES || performance.now() - begunAt > MAX_MS)
      socket.destroy()
  }, CHECK_EVERY_MS)
  request.once('close', () => {
    clearInterval(check)
    if (socket.writableEnded) socket.destroy()
  })
  request.unpipe()
  request.removeAllListeners('data')
  request.resume()
}
