import { counter, type Database, gauge, histogram, type Measures } from '@prelude/platform'
import type { Generator } from './generator/port.ts'

const ANSWERS_WITHIN_MS = 1_000

export interface DraftMeasures extends Measures {
  readonly read: () => Promise<void>
  readonly draftsAsked: (count: number) => void
  /** `seconds` since it was asked for. */
  readonly draftEnded: (state: 'ready' | 'failed' | 'lost', seconds: number) => void
}

/** Drafts in each state, how they ended and how long they took; and what the generator says of its queue. */
export function draftMeasures(db: Database, generator: Generator | null): DraftMeasures {
  const drafts = counter(
    'prelude_drafts_total',
    'Drafts that were asked for, and how they ended.',
    ['outcome'],
    ['asked', 'ready', 'failed', 'lost'].map((outcome) => ({ outcome })),
  )
  const durations = histogram(
    'prelude_draft_duration_seconds',
    'Time from when a draft was asked for until it was ready.',
    [5, 15, 30, 60, 120, 300, 600, 1_800, 3_600],
  )
  const underWay = gauge('prelude_drafts_under_way', 'Drafts that wait or are made.', ['state'])
  const queue = gauge('prelude_generator_queue', 'Tasks in the queue of the music generator.')
  const mean = gauge('prelude_generator_job_seconds', 'Mean time of a task of the music generator.')
  const say = (one: ReturnType<typeof gauge>, value: number | undefined): void =>
    value === undefined ? one.remove() : one.set(value)
  say(queue, undefined)
  say(mean, undefined)
  return {
    metrics: [drafts, durations, underWay, queue, mean],
    draftsAsked: (count) => drafts.inc({ outcome: 'asked' }, count),
    draftEnded: (outcome, seconds) => {
      drafts.inc({ outcome })
      if (outcome === 'ready') durations.observe(seconds)
    },
    read: async () => {
      const { rows } = await db.query<{ waiting: number; making: number }>(
        `select count(*) filter (where state in ('waiting', 'sending', 'queued')) as waiting,
           count(*) filter (where state in ('making', 'fetching')) as making
         from draft where state in ('waiting', 'sending', 'queued', 'making', 'fetching')`,
      )
      underWay.set({ state: 'waiting' }, rows[0]?.waiting ?? 0)
      underWay.set({ state: 'making' }, rows[0]?.making ?? 0)
      const load = await generator?.load(AbortSignal.timeout(ANSWERS_WITHIN_MS)).catch(() => null)
      say(queue, load?.queued)
      say(mean, load?.meanJobMs == null ? undefined : load.meanJobMs / 1000)
    },
  }
}
