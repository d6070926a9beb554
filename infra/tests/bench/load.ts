import { runBeside } from './beside.ts'

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

/** Errors: a call was refused. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const result = await runBeside<LoadResult>('load-process.ts', load)
  if (result.refused > 0)
    throw new Error(`${result.refused} calls were refused: ${JSON.stringify(result.statuses)}`)
  return result
}
