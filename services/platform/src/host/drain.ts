import type { Server } from 'node:http'

/** From now on every answer is the last of its connection: who asks again comes by a new one, which leads elsewhere. */
export const sendAway = (server: Server): void =>
  void server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
