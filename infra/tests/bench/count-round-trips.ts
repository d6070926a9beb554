import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { Connection } from 'pg'

/**
 * Loaded into the product by `--import`: of a request with the header `x-count`, prints how many round trips to PostgreSQL
 * followed one another until its answer. Those that run at the same time count as one, also if another request waits for them.
 */
let waiting = 0
let roundTrips = 0
const sending = (): void => {
  if (waiting++ === 0) roundTrips++
}

const { query, sync, emit } = Connection.prototype
Connection.prototype.query = function (...args) {
  sending()
  return query.apply(this, args)
}
Connection.prototype.sync = function () {
  sending()
  return sync.apply(this)
}
Connection.prototype.emit = function (event: string | symbol, ...args) {
  if (event === 'readyForQuery') waiting = Math.max(0, waiting - 1)
  return emit.apply(this, [event, ...args])
}

const isCounted = (message: unknown): boolean =>
  (message as { request: IncomingMessage }).request.headers['x-count'] !== undefined
subscribe('http.server.request.start', (message) => {
  if (isCounted(message)) roundTrips = 0
})
subscribe('http.server.response.finish', (message) => {
  if (isCounted(message)) process.stdout.write(`round trips: ${roundTrips}\n`)
})
