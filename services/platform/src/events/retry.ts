import { AppError, TimedOut } from '../errors.ts'

const TRIES = 3
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 3_000

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

/** The parts of a batch that are still to be handled, in order, each in one transaction. */
export interface Work<T> {
  readonly parts: readonly (readonly T[])[]
  /** Of the first part. */
  readonly failures: number
  /** Before its next try, if it fails. */
  readonly pauseMs: number
}

const workOn = <T>(...parts: readonly (readonly T[])[]): Work<T> => ({
  parts: parts.filter((part) => part.length > 0),
  failures: 0,
  pauseMs: FIRST_PAUSE_MS,
})

export const workOf = <T>(batch: readonly T[]): Work<T> => workOn(batch)

export const afterSuccess = <T>({ parts }: Work<T>): Work<T> => workOn(...parts.slice(1))

/** The first part has failed. An outage is no failure of its events; one that could not be parked is tried again. */
export function afterFailure<T>({ parts, failures, pauseMs }: Work<T>, decision: Decision): Work<T> {
  const [first = [], ...rest] = parts
  if (decision === 'halve') {
    const half = first.length >> 1
    return workOn(first.slice(0, half), first.slice(half), ...rest)
  }
  return {
    parts,
    failures: decision === 'later' ? failures : failures + 1,
    pauseMs: Math.min(2 * pauseMs, LONGEST_PAUSE_MS),
  }
}

/** Whether the next try of an event has the longer limit for each statement. */
export const needsLongLimit = (failures: number): boolean => failures >= TRIES

/** A dependency is down; the event is not at fault. */
export const isOutage = (error: unknown): boolean =>
  error instanceof AppError && error.kind === 'unavailable' && !(error instanceof TimedOut)
