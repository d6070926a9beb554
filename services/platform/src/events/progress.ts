import type { Query } from '../database/index.ts'
import { CursorMoved, type Move, moveCursor, type Partition, readCursor } from './cursor.ts'

/** How long the cursor may lag behind events that this service ignores; saves a commit for each batch of them. */
const IGNORED_LINGER_MS = 5_000

/** How far a partition was read. */
export interface Progress {
  readonly partition: Partition
  /** The cursor in the database. */
  stored: number
  /** The last position that was read: all events between are ignored. */
  reached: number
  /** How many events are between. */
  ignored: number
  /** When the first of them was read (of `performance.now()`). */
  ignoredAt: number
}

interface Positioned {
  readonly position: number
}

export async function readProgress(db: Query, partition: Partition): Promise<Progress> {
  const stored = await readCursor(db, partition)
  return { partition, stored, reached: stored, ignored: 0, ignoredAt: 0 }
}

/** These events are not for this service: the cursor follows them later. */
export function ignore(progress: Progress, events: readonly Positioned[], now: number): void {
  if (progress.ignored === 0) progress.ignoredAt = now
  progress.ignored += events.length
  progress.reached = events.at(-1)?.position ?? progress.reached
}

export const isDue = ({ ignored, ignoredAt }: Progress, now: number): boolean =>
  ignored > 0 && now - ignoredAt >= IGNORED_LINGER_MS

/** Stores a cursor that lags behind ignored events. If it cannot be, they stay counted for the next time. Errors: CursorMoved. */
export async function storeProgress(db: Query, progress: Progress, now: number): Promise<void> {
  const move = movePast(progress, [])
  if (move.taken === 0) return
  try {
    await moveCursor(db, progress.partition, move)
    moved(progress, move)
  } catch (error) {
    if (error instanceof CursorMoved) throw error
    progress.ignoredAt = now
  }
}

/** The move of the cursor past these events and the ignored ones before them. */
export const movePast = ({ stored, reached, ignored }: Progress, events: readonly Positioned[]): Move => ({
  from: stored,
  to: events.at(-1)?.position ?? reached,
  taken: events.length + ignored,
})

/** The cursor has been moved in a transaction. */
export const moved = (progress: Progress, { to }: Move): void =>
  void Object.assign(progress, { stored: to, reached: to, ignored: 0 })
