import { randomInt, randomUUID } from 'node:crypto'
import { repaint, tune } from './tune.ts'

/** How long a job takes. */
const JOB_MS = 2_000
const QUEUE_MAX = 200
/** They are kept in memory, with the audio that was sent: older ones are forgotten. */
const KEEP = 20

export interface Release {
  /** Null: drawn. */
  readonly seed: number | null
  /** Of a part that is made again, in seconds. */
  readonly again: { readonly audio: Buffer; readonly start: number; readonly end: number } | null
}

export interface Job {
  readonly id: string
  readonly seed: number
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed'
}

interface Task extends Release {
  readonly id: string
  readonly seed: number
  readonly releasedAt: number
  fails: boolean
  startedAt: number | null
  endedAt: number | null
}

/** The queue of the generator, with one worker. What time does to it is applied when it is asked. */
export function createJobs(now: () => number) {
  let tasks: Task[] = []
  let busyUntil = 0
  let failUntil = 0
  let atLeastMs = 0

  const advance = (): void => {
    let freeAt = 0
    for (const task of tasks) {
      if (task.endedAt === null) {
        task.startedAt ??= Math.max(task.releasedAt, freeAt)
        const end = task.startedAt + Math.max(JOB_MS, atLeastMs)
        if (end > now()) return
        task.endedAt = end
      }
      freeAt = task.endedAt
    }
  }
  const waiting = (): Task[] => tasks.filter(({ endedAt }) => endedAt === null)
  const stateOf = ({ startedAt, endedAt, fails }: Task): Job['state'] => {
    if (endedAt !== null) return fails ? 'failed' : 'succeeded'
    return startedAt === null ? 'queued' : 'running'
  }

  return {
    /** Null: the queue is full. */
    release(release: Release): { id: string; position: number } | null {
      advance()
      const position = waiting().length + 1
      if (now() < busyUntil || position > QUEUE_MAX) return null
      const id = randomUUID()
      const seed = release.seed ?? randomInt(2 ** 32)
      const ended = tasks.filter(({ endedAt }) => endedAt !== null).length
      if (ended > KEEP) tasks = tasks.slice(ended - KEEP)
      const begins = { releasedAt: now(), startedAt: null, endedAt: null }
      tasks.push({ ...release, ...begins, id, seed, fails: now() < failUntil })
      advance()
      return { id, position }
    },
    find(id: string): Job | undefined {
      advance()
      const task = tasks.find((one) => one.id === id)
      return task && { id, seed: task.seed, state: stateOf(task) }
    },
    /** WAV; for audio of another format, of which a part is made again, that audio. */
    audioOf(id: string): Buffer | undefined {
      advance()
      const task = tasks.find((one) => one.id === id)
      if (!task || stateOf(task) !== 'succeeded') return undefined
      return task.again ? repaint(task.again, task.seed) : tune(task.seed)
    },
    stats() {
      advance()
      const states = tasks.map(stateOf)
      const count = (state: Job['state']): number => states.filter((one) => one === state).length
      const [queued, running] = [count('queued'), count('running')]
      const jobs = { total: tasks.length, queued, running }
      return {
        jobs: { ...jobs, succeeded: count('succeeded'), failed: count('failed') },
        queue_size: queued,
        queue_maxsize: QUEUE_MAX,
        avg_job_seconds: Math.max(JOB_MS, atLeastMs) / 1000,
      }
    },
    /** Releases find the queue full. */
    busy(seconds: number): void {
      busyUntil = now() + seconds * 1000
    },
    /** Jobs that are not over, and those of the next seconds, end as failures. */
    fail(seconds: number): void {
      failUntil = now() + seconds * 1000
      advance()
      for (const task of waiting()) task.fails = seconds > 0
    },
    slow(seconds: number): void {
      advance()
      atLeastMs = seconds * 1000
    },
    lose(): void {
      tasks = []
    },
  }
}

export type Jobs = ReturnType<typeof createJobs>
