import type { InstanceReport } from '@prelude/contracts'
import { gauge, histogram } from '../../observability/index.ts'
import type { Clock } from '../../clock.ts'
import { reasonOf } from '../../errors.ts'

/** Records the outcome of job runs: metrics, and the jobs that fail again and again. */
export function jobRuns(clock: Clock) {
  const durations = histogram(
    'prelude_job_duration_seconds',
    'Duration of one run of a job, by outcome (ok, failed).',
    [0.01, 0.1, 1, 10, 60, 600],
    ['job', 'outcome'],
  )
  const lastSuccess = gauge(
    'prelude_job_last_success_timestamp_seconds',
    'When a run of a job last succeeded.',
    ['job'],
  )
  const failing = new Map<string, InstanceReport['failingJobs'][number]>()
  return {
    metrics: [durations, lastSuccess],
    onRun: (name: string, error: Error | null, seconds: number): void => {
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
