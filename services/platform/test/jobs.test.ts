import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { Unavailable } from '../src/errors.ts'
import { startJob } from '../src/host/jobs.ts'

const HOUR_MS = 60 * 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A job whose runs end as given, and its log. */
function tried(everyMs: number, ends: readonly (Error | null)[]) {
  const lines: Record<string, unknown>[] = []
  const logger = pino({ base: {} }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  let rounds = 0
  const run = async (): Promise<void> => {
    const error = ends[rounds++] ?? null
    if (error) throw error
  }
  const { stop } = startJob({ name: 'sweep', everyMs, run }, systemClock, logger)
  return {
    lines,
    /** How many runs there were after this time. */
    after: async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return rounds
    },
    [Symbol.asyncDispose]: stop,
  }
}

test('an hourly job that fails runs again after a minute, until it succeeds, and then with the others of its hour', async () => {
  await using job = tried(HOUR_MS, [new Error('no'), new Error('no')])
  expect(await job.after(59_000)).toBe(1)
  expect(await job.after(1_000)).toBe(2)
  expect(await job.after(60_000)).toBe(3)
  expect(await job.after(HOUR_MS - 120_000)).toBe(3)
  expect(await job.after(1)).toBe(4)
})

test('a job with a shorter interval keeps it after a failure', async () => {
  await using job = tried(2_000, [new Error('no')])
  expect(await job.after(2_000)).toBe(2)
  expect(await job.after(2_001)).toBe(3)
})

test('an outage is logged as a sentence, any other error with its stack', async () => {
  const late = new Unavailable('the database', new Error('timeout'))
  await using job = tried(2_000, [late, new TypeError('x is undefined')])
  await job.after(2_000)
  expect(job.lines).toEqual([
    expect.objectContaining({
      job: 'sweep',
      againMs: 2_000,
      reason: 'the database does not answer: timeout',
    }),
    expect.objectContaining({ job: 'sweep', err: expect.objectContaining({ type: 'TypeError' }) }),
  ])
  expect(job.lines[0]).not.toHaveProperty('err')
})
