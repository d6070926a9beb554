import { fromCents, SONG_PRICE_CREDITS, TOP_UP_MIN_CENTS } from '@prelude/contracts'
import { useCallback, useEffect, useRef } from 'react'
import { useCredits, useDebt, useWaitingSongIds } from '../../api/queries.ts'
import { useOverlays } from '../../ui/overlays.ts'

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
      const missing = Math.ceil((songs * SONG_PRICE_CREDITS + debt - balance) * 100) / 100
      overlays.openTopUp(Math.max(fromCents(TOP_UP_MIN_CENTS), missing))
    },
    [overlays],
  )
}
