import { useEffect } from 'react'
import { refetchMe } from '../../api/me.ts'
import { onInput } from '../../browser/recent-input.ts'

const RENEW_EVERY_MS = 5 * 60_000

/** Reading and typing make no requests: input makes one every few minutes, so that the unlock does not end during work. */
export function useKeptUnlock(isUnlocked: boolean): void {
  useEffect(() => {
    if (!isUnlocked) return
    let renewedAt = Date.now()
    return onInput(() => {
      if (Date.now() - renewedAt < RENEW_EVERY_MS) return
      renewedAt = Date.now()
      void refetchMe()
    })
  }, [isUnlocked])
}
