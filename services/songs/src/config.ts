import { STANDARD_TERMS } from '@prelude/contracts'
import { decimal } from '@prelude/platform'

export const songsSettings = {
  turnaroundHours: {
    env: 'TURNAROUND_HOURS',
    means: 'hours from the charge of a song to its promised time',
    parse: decimal(0, 10_000),
    fallback: STANDARD_TERMS.turnaroundHours,
  },
  songsPerDay: {
    env: 'SONGS_PER_DAY',
    means: 'songs that the studio makes a day',
    parse: decimal(0.001, 1_000_000),
    fallback: STANDARD_TERMS.songsPerDay,
  },
  changesIncluded: {
    env: 'CHANGES_INCLUDED',
    means: 'rounds of changes that a song includes',
    parse: decimal(0, 100),
    fallback: STANDARD_TERMS.changesIncluded,
  },
  changesDays: {
    env: 'CHANGES_DAYS',
    means: 'days after a delivery in which changes can be asked for',
    parse: decimal(0, 10_000),
    fallback: STANDARD_TERMS.changesDays,
  },
}
