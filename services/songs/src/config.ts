import { STANDARD_TERMS } from '@prelude/contracts'
import { decimal, type Program, setting, termsSettings } from '@prelude/platform'

export const songsSettings = {
  ...termsSettings,
  turnaroundHours: setting(
    'TURNAROUND_HOURS',
    'hours from the charge of a song to its promised time',
    decimal(0, 10_000),
    STANDARD_TERMS.turnaroundHours,
  ),
  songsPerDay: setting(
    'SONGS_PER_DAY',
    'songs that the studio makes a day',
    decimal(0.001, 1_000_000),
    STANDARD_TERMS.songsPerDay,
  ),
}

export const songsProgram: Program<typeof songsSettings> = {
  service: 'songs',
  settings: songsSettings,
  calls: [],
}
