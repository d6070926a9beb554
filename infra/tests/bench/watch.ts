import { runBeside } from './beside.ts'

/** Live streams held open while songs are submitted at a steady rate. */
export interface Watch {
  readonly url: string
  /** One cookie a stream; a person may have ten streams. Each caller must have at least one. */
  readonly watchers: readonly string[]
  /** Cookies of the people who submit, round robin. */
  readonly callers: readonly string[]
  readonly submits: number
  readonly perSecond: number
}

interface Times {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Latencies, measured from sending the request. */
export interface WatchResult {
  readonly answer: Times
  /** To the first event of the song on the person's stream. */
  readonly seen: Times
  /** To the event that says `charged`. */
  readonly charged: Times
  /** No stream showed an older revision after a newer one. */
  readonly inOrder: boolean
  /** From the last answer to the last event on any stream. */
  readonly lastAfterAnswersMs: number
}

/** Errors: a stream or a request was refused, a song never arrived on a stream. */
export const runWatch = (watch: Watch): Promise<WatchResult> => runBeside('watch-process.ts', watch)
