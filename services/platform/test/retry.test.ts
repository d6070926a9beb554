import { expect, test } from 'vitest'
import { AppError, TimedOut, Unavailable } from '../src/errors.ts'
import { decide, type Decision, needsLongLimit } from '../src/events/retry.ts'

const FAULT = new AppError('song_not_found')
const OUTAGE = new Unavailable('the database')
const TIMEOUT = new TimedOut('the database')

const DECISIONS: [string, Error, number, number, Decision][] = [
  ['a batch with a fault is halved', FAULT, 2, 0, 'halve'],
  ['a batch that timed out is halved', TIMEOUT, 2, 0, 'halve'],
  ['a batch waits for a dependency that is down', OUTAGE, 2, 0, 'later'],
  ['an event waits for a dependency that is down, however often it failed', OUTAGE, 1, 99, 'later'],
  ['an event with a fault is tried again', FAULT, 1, 0, 'again'],
  ['an event with a fault is tried a third time', FAULT, 1, 1, 'again'],
  ['an event with a fault is parked after three tries', FAULT, 1, 2, 'park'],
  ['an event that timed out three times is tried again', TIMEOUT, 1, 2, 'again'],
  ['an event that timed out with the longer limit too is parked', TIMEOUT, 1, 3, 'park'],
]
test('what failed is halved, waits, is tried again or parked', () => {
  const decided = DECISIONS.map(([what, error, events, failures]) => [
    what,
    decide(error, { events, failures }),
  ])
  expect(decided).toEqual(DECISIONS.map(([what, , , , decision]) => [what, decision]))
})

test('the longer limit is for the try after three failures', () => {
  expect([0, 1, 2, 3].map(needsLongLimit)).toEqual([false, false, false, true])
})
