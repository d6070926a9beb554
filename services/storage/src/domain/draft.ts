import { AppError } from '@prelude/platform'
import type { Song } from '@prelude/contracts'
import type { Look } from '../generator/port.ts'

/** A generator that was started again knows none of its tasks; without an end for so long, one is lost. */
const LOST_AFTER_MS = 60 * 60 * 1000
/** So many answers in a row that do not say whether it knows the task. */
const UNCLEAR_LOOKS = 2

/** A task of the generator's, as it was known before a look. */
export interface Task {
  readonly state: 'queued' | 'making' | 'removed'
  readonly unclearLooks: number
  readonly sentAt: number
}

type Result = Omit<Extract<Look, { state: 'done' }>, 'state'>

/** What a look does to a task. */
export type Seen =
  | { readonly state: 'queued' | 'making' | 'removed'; readonly unclearLooks: number }
  | ({ readonly state: 'fetching' } & Result)
  | { readonly state: 'failed' | 'lost'; readonly error: string }

/** `look` is undefined while the generator does not answer. */
export function afterLook(task: Task, look: Look | undefined, now: number): Seen {
  if (look?.state === 'done') return { ...look, state: 'fetching' }
  if (look?.state === 'failed') return look
  const isUnclear = look?.state === 'unclear'
  const unclearLooks = isUnclear ? task.unclearLooks + 1 : look ? 0 : task.unclearLooks
  if (unclearLooks >= UNCLEAR_LOOKS)
    return { state: 'lost', error: 'The generator has forgotten it; perhaps it was started again.' }
  if (now - task.sentAt >= LOST_AFTER_MS)
    return { state: 'lost', error: 'The generator did not make it within an hour.' }
  return { state: look && !isUnclear && task.state !== 'removed' ? look.state : task.state, unclearLooks }
}

/** `before`: tasks that the generator makes before this one. */
export const expectedAt = (now: number, before: number, meanJobMs: number | null): number | null =>
  meanJobMs === null ? null : now + Math.round((before + 1) * meanJobMs)

/** Errors: song_closed, charge_pending, song_not_charged. */
export function assertDraftable({ status, charge }: Pick<Song, 'status' | 'charge'>): void {
  if (status === 'cancelled' || status === 'declined') throw new AppError('song_closed')
  if (charge === 'deciding') throw new AppError('charge_pending')
  if (charge !== 'charged' && charge !== 'gift') throw new AppError('song_not_charged')
}

/** Errors: invalid_request for a time that is not within the audio. */
export function assertWithin({ fromMs, toMs }: { fromMs: number; toMs: number }, durationMs: number): void {
  if (fromMs < toMs && toMs <= durationMs) return
  const errors = [{ path: 'again.toMs', message: `must be after fromMs, and at most ${durationMs}` }]
  throw new AppError('invalid_request', { errors })
}
