import { format, messages } from '../messages.ts'

/** Milliseconds as m:ss. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** How long ago, in words. */
export const ago = (at: number, now = Date.now()): string => format.ago(at, now) ?? messages.justNow
