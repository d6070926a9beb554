import { STANDARD_TERMS } from '@prelude/contracts'
import { decimal, type Program, termsSettings } from '@prelude/platform'

export const songsSettings = {
  ...termsSettings,
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
}

export const songsProgram: Program<typeof songsSettings> = {
  service: 'songs',
  settings: songsSettings,
  calls: [],
}
