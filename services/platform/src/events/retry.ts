import { AppError, TimedOut } from '../errors.ts'

const TRIES = 3

/** For an event whose tries all timed out: alone, with a longer limit for each statement. */
export const LONG_STATEMENT_TIMEOUT_MS = 60_000

/** What a consumer does after a batch failed. */
export type Decision =
  /** Try the event once more; the failure counts. */
  | 'again'
  /** Try both halves on their own, so that the failing event is found. */
  | 'halve'
  /** A dependency is down: wait for it, however long. */
  | 'later'
  /** Store the event as a dead letter and park its key. */
  | 'park'

/** `failures`: of this event alone, before this one. An event that timed out has one more try, with a longer limit. */
export function decide(error: unknown, { events, failures }: { events: number; failures: number }): Decision {
  if (isOutage(error)) return 'later'
  if (events > 1) return 'halve'
  const tries = error instanceof TimedOut ? TRIES + 1 : TRIES
  return failures + 1 < tries ? 'again' : 'park'
}

/** Whether the next try of an event has the longer limit for each statement. */
export const needsLongLimit = (failures: number): boolean => failures >= TRIES

/** A dependency is down; the event is not at fault. */
export const isOutage = (error: unknown): boolean =>
  error instanceof AppError && error.kind === 'unavailable' && !(error instanceof TimedOut)
