import type { OnRound } from '../jobs.ts'
import type { Metrics } from '../metrics.ts'
import type { Failing } from './instances.ts'

/** Records the outcome of job runs: metrics, and the jobs that fail again and again. */
export function jobRounds(metrics: Pick<Metrics, 'observeJob'>): {
  readonly onRound: OnRound
  failing(): readonly Failing[]
} {
  const failing = new Map<string, Failing>()
  return {
    onRound: (name, error, seconds) => {
      metrics.observeJob(name, error ? 'failed' : 'ok', seconds)
      const failures = (failing.get(name)?.failures ?? 0) + 1
      if (error) failing.set(name, { name, failures, error: reasonOf(error) })
      else failing.delete(name)
    },
    failing: () => [...failing.values()],
  }
}

const reasonOf = (error: Error): string => `${error.name}: ${error.message}`.slice(0, 200)
