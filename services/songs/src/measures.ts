import { type Database, gauge, histogram, type Measures } from '@prelude/platform'

const HOUR = 3_600

export interface SongsMeasures extends Measures {
  /** Times in milliseconds since the epoch. */
  readonly fulfilled: (song: { readonly createdAt: number; readonly updatedAt: number | null }) => void
}

/** Songs in each state, and how long fulfilment took. */
export function songsMeasures(db: Database): SongsMeasures {
  const durations = histogram({
    name: 'prelude_song_fulfilment_duration_seconds',
    help: 'Time from a request to its two finished versions.',
    buckets: [
      HOUR / 12,
      HOUR / 4,
      HOUR,
      3 * HOUR,
      6 * HOUR,
      12 * HOUR,
      24 * HOUR,
      48 * HOUR,
      96 * HOUR,
      168 * HOUR,
    ],
  })
  const pending = gauge({
    name: 'prelude_songs_pending',
    help: 'Songs that are not ready, by charge.',
    labelNames: ['charge'],
  })
  const age = gauge({
    name: 'prelude_songs_pending_age_seconds',
    help: 'Age of the oldest song that is not ready, by charge.',
    labelNames: ['charge'],
  })
  const charges = ['deciding', 'charged', 'declined', 'refunded']
  return {
    metrics: [durations, pending, age],
    fulfilled: ({ createdAt, updatedAt }) =>
      durations.observe(((updatedAt ?? Date.now()) - createdAt) / 1000),
    read: async () => {
      const { rows } = await db.query<{ charge: string; songs: number; oldest: number }>(
        `select charge, count(*) as songs, min(created_at) as oldest from song where status = 'pending' group by charge`,
      )
      for (const charge of charges) {
        const row = rows.find((one) => one.charge === charge)
        pending.set({ charge }, row?.songs ?? 0)
        age.set({ charge }, row ? Math.max(0, Date.now() - row.oldest) / 1000 : 0)
      }
    },
  }
}
