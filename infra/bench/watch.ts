import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** Live streams held open while songs are asked for at a steady rate. */
export interface Watch {
  readonly url: string
  /** A cookie a stream; a person may have ten. Each caller must have one. */
  readonly watchers: readonly string[]
  /** Who submits, in turn. */
  readonly callers: readonly string[]
  readonly submits: number
  readonly perSecond: number
}

interface Times {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** All times run from the moment a request was sent. */
export interface WatchResult {
  readonly answer: Times
  /** Its song came on the person's stream. */
  readonly seen: Times
  /** It came there as charged. */
  readonly charged: Times
  /** No stream showed an older revision after a newer one. */
  readonly inOrder: boolean
  /** From the last answer to the last event on any stream. */
  readonly lastAfterAnswersMs: number
}

/** Errors: a stream or a request was refused, a song never came. */
export async function runWatch(watch: Watch): Promise<WatchResult> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('watch-process.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(watch))
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`the watchers ended with code ${String(code)}`)
  return JSON.parse(printed) as WatchResult
}
