import type { Logger } from './logger.ts'
import { signal } from './postgres/wait.ts'
import type { Job } from './service.ts'

/** Told how each round ended; `error` is null when it went well. */
export type OnRound = (job: string, error: Error | null, seconds: number) => void

/** Runs a job again and again until stopped; an error is logged and the next round comes all the same. */
export function startJob(job: Job, logger: Logger, onRound?: OnRound): { stop(): Promise<void> } {
  const waiting = signal()
  const abort = new AbortController()
  job.onWake?.(() => waiting.wake())
  const running = (async () => {
    while (!abort.signal.aborted) {
      const started = performance.now()
      const failure = await job.run(abort.signal).then(
        () => null,
        (error: Error) => {
          if (!abort.signal.aborted)
            logger.warn({ job: job.name, err: error }, 'job failed, next round follows')
          return error
        },
      )
      onRound?.(job.name, failure, (performance.now() - started) / 1000)
      if (!abort.signal.aborted) await waiting.for(job.everyMs)
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
