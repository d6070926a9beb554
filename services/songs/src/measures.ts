import { type Clock, type Database, gauge, histogram, type Measures } from '@prelude/platform'
import type { SongState } from './domain/song.ts'

const HOUR = 3_600

export interface SongsMeasures extends Measures {
  readonly fulfilled: (
    song: Pick<SongState, 'deliveredAt' | 'promisedAt' | 'timeline'> & { readonly createdAt: number },
  ) => void
}

/** Songs in each state, how long fulfilment took, and how much of the promised time it took. */
export function songsMeasures(db: Database, clock: Clock): SongsMeasures {
  const durations = histogram(
    'prelude_song_fulfilment_duration_seconds',
    'Time from a request to its two finished versions.',
    [1 / 12, 1 / 4, 1, 3, 6, 12, 24, 48, 96, 168].map((hours) => hours * HOUR),
  )
  const promiseUsed = histogram(
    'prelude_song_promise_used_ratio',
    'Time from charge to delivery, as a share of the time that was promised.',
    [0.1, 0.25, 0.5, 0.75, 0.9, 1, 1.25, 1.5, 2, 4],
  )
  const pending = gauge('prelude_songs_pending', 'Songs that are not ready, by charge.', ['charge'])
  const age = gauge(
    'prelude_songs_pending_age_seconds',
    'Age of the oldest song that is not ready, by charge.',
    ['charge'],
  )
  const overdue = gauge(
    'prelude_songs_overdue_seconds',
    'How long ago the earliest promise of a song that is not ready passed.',
  )
  const charges = ['deciding', 'charged', 'declined', 'refunded']
  return {
    metrics: [durations, promiseUsed, pending, age, overdue],
    fulfilled: ({ createdAt, deliveredAt, promisedAt, timeline }) => {
      const at = deliveredAt ?? clock.now()
      durations.observe((at - createdAt) / 1000)
      const from = timeline.find(({ state }) => state === 'paid' || state === 'started')?.at
      if (promisedAt !== null && from !== undefined && promisedAt > from)
        promiseUsed.observe((at - from) / (promisedAt - from))
    },
    read: async () => {
      const { rows } = await db.query<{
        charge: string
        songs: number
        oldest: number
        promised: number | null
      }>(
        `select charge, count(*) as songs, min(created_at) as oldest, min(promised_at) as promised
         from song where status = 'pending' group by charge`,
      )
      const now = clock.now()
      const promises = rows.flatMap(({ promised }) => (promised === null ? [] : [promised]))
      overdue.set(Math.max(0, now - Math.min(now, ...promises)) / 1000)
      for (const charge of charges) {
        const row = rows.find((one) => one.charge === charge)
        pending.set({ charge }, row?.songs ?? 0)
        age.set({ charge }, row ? Math.max(0, now - row.oldest) / 1000 : 0)
      }
    },
  }
}
