import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Logger } from '../observability/index.ts'
import type { Job } from './service.ts'

/** Called after each run; `error` is null when it succeeded. */
export type OnRun = (job: string, error: Error | null, seconds: number) => void

/** A job that failed runs again within a minute, also when its interval is an hour. */
const MAX_RETRY_MS = 60_000
/** A timer of Node may end so much early. */
const EARLY_MS = 1

/** Runs a job again and again until stopped; an error is logged, and the next run is within a minute. */
export function startJob(job: Job, clock: Clock, logger: Logger, onRun?: OnRun): { stop(): Promise<void> } {
  const abort = new AbortController()
  const againMs = Math.min(job.everyMs, MAX_RETRY_MS)
  const report = (error: Error): void => {
    // an outage is logged by its message; the stack of the caller adds nothing
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
      if (failure && !abort.signal.aborted) report(failure)
      onRun?.(job.name, failure, (performance.now() - started) / 1000)
      // at the multiples of its interval since the process began: jobs that are due at the same time wake it once
      const untilDueMs = job.everyMs - (performance.now() % job.everyMs)
      await clock.wait(failure ? againMs : Math.ceil(untilDueMs) + EARLY_MS, abort.signal)
    }
  })()
  return {
    stop: async () => {
      abort.abort()
      await running
    },
  }
}
