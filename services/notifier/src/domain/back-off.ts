const FIRST_DELAY_MS = 1_000
const LONGEST_DELAY_MS = 30 * 60_000

/** A mail that was not sent for so long counts as failed. */
export const GIVE_UP_AFTER_MS = 24 * 3_600_000

/**
 * When the next attempt is due, after attempt number `attempts` failed at `now`: 1 s, then twice as long each time, at most
 * 30 minutes.
 * Null after `giveUpAt`. Times in milliseconds since the epoch.
 */
export function nextTry(failed: { attempts: number; giveUpAt: number; now: number }): number | null {
  if (failed.now >= failed.giveUpAt) return null
  return failed.now + Math.min(FIRST_DELAY_MS * 2 ** (failed.attempts - 1), LONGEST_DELAY_MS)
}
