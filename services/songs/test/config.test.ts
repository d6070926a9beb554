import { readConfig } from '@prelude/platform'
import { expect, test } from 'vitest'
import { songsSettings } from '../src/config.ts'

test('rounds of changes are whole; hours, days and songs a day may be fractions', () => {
  const terms = {
    TURNAROUND_HOURS: '1.5',
    CHANGES_DAYS: '0.5',
    MESSAGES_DAYS: '1.5',
    SONGS_PER_DAY: '2.5',
    CHANGES_INCLUDED: '0',
  }
  expect(readConfig(songsSettings, terms)).toEqual({
    turnaroundHours: 1.5,
    changesDays: 0.5,
    messagesDays: 1.5,
    songsPerDay: 2.5,
    changesIncluded: 0,
  })
  for (const rounds of ['0.5', '1.5', '-1', 'one'])
    expect(() => readConfig(songsSettings, { CHANGES_INCLUDED: rounds })).toThrow(
      'CHANGES_INCLUDED must be a whole number from 0 to 100',
    )
})
