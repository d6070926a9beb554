import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Full sockets take more in steps of up to 2 MB, which is all that is seen of a reader: at 16 kB/s one takes two minutes. */
export const STALLED_AFTER_MS = 5 * 60_000

/**
 * Ends an answer whose client has taken no byte for as long as a connection may be idle (`connectionTimeout`): of a stopped
 * reader that never leaves. A player that has paused with a full buffer asks for the rest as a range when it goes on. An
 * answer without bytes to send, as a live stream, waits for the server and goes on.
 */
export function registerStalled(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, { raw }, done) => {
    // with a listener Node does not end the connection itself; progress of a write restarts its time
    raw.on('timeout', (socket: Socket) => void (socket.writableLength > 0 && socket.destroy()))
    done()
  })
}
