import { STANDARD_TERMS } from '@prelude/contracts'
import { decimal, type Program, termsSettings } from '@prelude/platform'

export const songsSettings = {
  ...termsSettings,
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
