import autocannon from 'autocannon'
import { json } from 'node:stream/consumers'
import type { Load, LoadResult } from './load.ts'

/** The load generator as a process: reads a Load from stdin, prints a LoadResult. Each connection is one person. */
const load = (await json(process.stdin)) as Load
const statuses: Record<string, number> = {}
const result = await autocannon({
  url: load.url,
  connections: load.connections,
  ...(load.requests === undefined ? { duration: load.seconds } : { amount: load.requests }),
  ...(load.perSecond !== undefined && { overallRate: load.perSecond }),
  timeout: 20,
  setupClient: connectionOf(load),
})
const printed: LoadResult = {
  perSecond: result.requests.total / result.duration,
  requests: result['2xx'],
  refused: result.non2xx + result.errors + result.timeouts,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  statuses,
}
process.stdout.write(JSON.stringify(printed))

function connectionOf({ callers, calls }: Load): (client: autocannon.Client) => void {
  let next = 0
  return (client) => {
    const headers = { 'content-type': 'application/json', ...callers[next++ % callers.length] }
    client.setRequests(
      calls.map(({ method, path, body }) => ({ method, path, headers, ...(body !== undefined && { body }) })),
    )
    client.on('response', (status) => {
      statuses[status] = (statuses[status] ?? 0) + 1
    })
  }
}
