import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Requests in flight may finish; then the connections go, or a stop would not keep to its 20 s. */
const GRACE_MS = 10_000

/** Browsers open connections in advance; those without a request would keep the server from closing. */
export function registerClosing(app: FastifyInstance): void {
  const silent = new Set<Socket>()
  app.server.on('connection', (socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  app.server.on('request', ({ socket }) => silent.delete(socket))
  app.addHook('preClose', async () => {
    for (const socket of silent) socket.destroy()
    setTimeout(() => app.server.closeAllConnections(), GRACE_MS).unref()
  })
}
