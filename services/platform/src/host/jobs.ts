import { AppError } from '../errors.ts'
import type { Logger } from '../observability/index.ts'
import { signal } from '../wait.ts'
import type { Job } from './service.ts'

/** Told how each round ended; `error` is null when it went well. */
export type OnRound = (job: string, error: Error | null, seconds: number) => void

/** What runs every hour need not wait an hour for a server that did not answer once. */
const AGAIN_WITHIN_MS = 60_000

/** Runs a job again and again until stopped; an error is logged and the next round comes all the same, within a minute. */
export function startJob(job: Job, logger: Logger, onRound?: OnRound): { stop(): Promise<void> } {
  const waiting = signal()
  const abort = new AbortController()
  job.onWake?.(() => waiting.wake())
  const againMs = Math.min(job.everyMs, AGAIN_WITHIN_MS)
  const tell = (error: Error): void => {
    // a server that does not answer is told by its sentence; the stack of whoever waited for it says nothing more
    const why =
      error instanceof AppError && error.kind === 'unavailable' ? { reason: error.message } : { err: error }
    logger.warn({ job: job.name, againMs, ...why }, 'job failed, it is tried again')
  }
  const running = (async () => {
    while (!abort.signal.aborted) {
      const started = performance.now()
      const failure = await job.run(abort.signal).then(
        () => null,
        (error: Error) => error,
      )
      if (failure && !abort.signal.aborted) tell(failure)
      onRound?.(job.name, failure, (performance.now() - started) / 1000)
      if (!abort.signal.aborted) await waiting.for(failure ? againMs : job.everyMs)
    }
  })()
  return {
    stop: async () => {
      abort.abort()
      waiting.wake()
      await running
    },
  }
}
