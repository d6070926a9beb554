import type { Server } from 'node:http'

/** Disables keep-alive, so that clients reconnect, to another instance. */
export const drainConnections = (server: Server): void =>
  void server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
