import { fromCents, SONG_PRICE_CENTS, TOP_UP_MIN_CENTS } from '@prelude/contracts'
import { useCallback, useEffect, useRef } from 'react'
import { useCredits, useDebt, useWaitingSongIds } from '../../api/queries.ts'
import { useOverlays } from '../../ui/overlays.ts'

/** Credits of the API, which have two decimals, in integer hundredths. */
const inCents = (amount: number): number => Math.round(amount * 100)

/**
 * Returns a stable function that opens the top-up dialog with the amount missing for a request. Credits settle a debt
 * first and then pay the oldest request, so the debt and older requests count too. Fetches only while a request `isWaiting`
 * for credits.
 */
export function useTopUp(isWaiting: boolean): (songId: string) => void {
  const overlays = useOverlays()
  const current = {
    balance: useCredits() ?? 0,
    waiting: useWaitingSongIds(isWaiting),
    debt: useDebt(isWaiting),
  }
  const latest = useRef(current)
  useEffect(() => {
    latest.current = current
  })
  return useCallback(
    (songId) => {
      const { balance, waiting, debt } = latest.current
      const songs = 1 + Math.max(0, waiting?.indexOf(songId) ?? 0)
      const missingCents = songs * SONG_PRICE_CENTS + inCents(debt) - inCents(balance)
      overlays.openTopUp(fromCents(Math.max(TOP_UP_MIN_CENTS, missingCents)))
    },
    [overlays],
  )
}
