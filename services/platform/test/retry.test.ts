import { expect, test } from 'vitest'
import { AppError, TimedOut, Unavailable } from '../src/errors.ts'
import {
  afterFailure,
  afterSuccess,
  decide,
  type Decision,
  needsLongLimit,
  type Work,
  workOf,
} from '../src/events/retry.ts'

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

/** The parts and failures after each of these outcomes; null: the first part was handled. */
function worked(batch: readonly number[], outcomes: readonly (Decision | null)[]) {
  const step = (work: Work<number>, outcome: Decision | null) =>
    outcome ? afterFailure(work, outcome) : afterSuccess(work)
  const { parts, failures, pauseMs } = outcomes.reduce(step, workOf(batch))
  return { parts, failures, pauseMs }
}

test('a batch is halved until the event that fails is alone, and order holds', () => {
  const halved = (...parts: number[][]) => ({ parts, failures: 0, pauseMs: 50 })
  expect(worked([1, 2, 3, 4, 5], [])).toEqual(halved([1, 2, 3, 4, 5]))
  expect(worked([1, 2, 3, 4, 5], ['halve'])).toEqual(halved([1, 2], [3, 4, 5]))
  expect(worked([1, 2, 3, 4, 5], ['halve', 'halve'])).toEqual(halved([1], [2], [3, 4, 5]))
  expect(worked([1, 2, 3, 4, 5], ['halve', null, 'halve'])).toEqual(halved([3], [4, 5]))
  expect(worked([1, 2], ['later', 'halve', null, null])).toEqual(halved())
  expect(workOf([]).parts).toEqual([])
})

test('failures are those of one event, an outage is none, and pauses double up to the longest', () => {
  expect(worked([1, 2], ['halve', 'again', 'again'])).toEqual({
    parts: [[1], [2]],
    failures: 2,
    pauseMs: 200,
  })
  expect(worked([1, 2], ['halve', 'again', null])).toMatchObject({ parts: [[2]], failures: 0, pauseMs: 50 })
  expect(worked([1], ['later', 'later'])).toMatchObject({ parts: [[1]], failures: 0, pauseMs: 200 })
  expect(worked([1], ['again', 'again', 'park'])).toMatchObject({ parts: [[1]], failures: 3 })
  expect(worked([1], Array<Decision>(9).fill('later'))).toMatchObject({ pauseMs: 3_000 })
})

test('the longer limit is for the try after three failures', () => {
  expect([0, 1, 2, 3].map(needsLongLimit)).toEqual([false, false, false, true])
})
