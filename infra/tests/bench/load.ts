import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** Load of the generator: every connection is one caller, which sends the next call after the answer to the last. */
export interface Load {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** Ends after this many requests, shared out over the connections, instead of after `seconds`. */
  readonly requests?: number
  /** Paced to this rate over all connections; closed loop if not given. */
  readonly perSecond?: number
  /** Headers of each caller, shared out over the connections. */
  readonly callers: readonly Readonly<Record<string, string>>[]
  readonly calls: readonly {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly body?: string
  }[]
}

export interface LoadResult {
  readonly perSecond: number
  /** Answered with 2xx. */
  readonly requests: number
  /** Any other answer, or none: such a run measures something else. */
  readonly refused: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly statuses: Readonly<Record<string, number>>
}

/** Runs a load from its own process, so that its CPU time is not the server's. Errors: a call was refused. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('load-process.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(load))
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`the load generator ended with code ${String(code)}`)
  const result = JSON.parse(printed) as LoadResult
  if (result.refused > 0)
    throw new Error(`${result.refused} calls were refused: ${JSON.stringify(result.statuses)}`)
  return result
}
