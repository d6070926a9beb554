import { format, messages } from '../messages.ts'

/** Milliseconds as m:ss. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Relative time in words: "3 min. ago". */
export const ago = (at: number, now = Date.now()): string => format.ago(at, now) ?? messages.justNow
