import { gauge, histogram, type Measures } from '../../observability/index.ts'
import type { Clock } from '../../clock.ts'
import { reasonOf } from '../../errors.ts'
import type { OnRun } from '../jobs.ts'
import type { Failing } from './instances.ts'

/** Records the outcome of job runs: metrics, and the jobs that fail again and again. */
export function jobRuns(clock: Clock): Measures & { readonly onRun: OnRun; failing(): readonly Failing[] } {
  const durations = histogram({
    name: 'prelude_job_duration_seconds',
    help: 'Duration of one run of a job, by outcome (ok, failed).',
    labelNames: ['job', 'outcome'],
    buckets: [0.01, 0.1, 1, 10, 60, 600],
  })
  const lastSuccess = gauge({
    name: 'prelude_job_last_success_timestamp_seconds',
    help: 'When a run of a job last succeeded.',
    labelNames: ['job'],
  })
  const failing = new Map<string, Failing>()
  return {
    metrics: [durations, lastSuccess],
    onRun: (name, error, seconds) => {
      durations.observe({ job: name, outcome: error ? 'failed' : 'ok' }, seconds)
      const failures = (failing.get(name)?.failures ?? 0) + 1
      if (error) failing.set(name, { name, failures, error: reasonOf(error).slice(0, 200) })
      else {
        lastSuccess.set({ job: name }, clock.now() / 1000)
        failing.delete(name)
      }
    },
    failing: () => [...failing.values()],
  }
}
