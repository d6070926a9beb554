import { fromCents, SONG_PRICE_CREDITS, TOP_UP_MIN_CENTS } from '@prelude/contracts'
import { useCallback, useEffect, useRef } from 'react'
import { useCredits, useDebt, useWaiting } from '../../api/queries.ts'
import { useOpen } from '../../app/open.ts'

/**
 * Opens the top-up dialog with what is missing for a request, by its id; the function stays the same. Credits settle a
 * debt and then go to the oldest first, so what is owed and the requests before it count too. Nothing is read unless a
 * request `isWaiting` for credits.
 */
export function useTopUp(isWaiting: boolean): (songId: string) => void {
  const open = useOpen()
  const known = {
    balance: useCredits() ?? 0,
    waiting: useWaiting(isWaiting),
    debt: useDebt(isWaiting),
  }
  const latest = useRef(known)
  useEffect(() => {
    latest.current = known
  })
  return useCallback(
    (songId) => {
      const { balance, waiting, debt } = latest.current
      const songs = 1 + Math.max(0, waiting?.indexOf(songId) ?? 0)
      const missing = Math.ceil((songs * SONG_PRICE_CREDITS + debt - balance) * 100) / 100
      open.topUp(Math.max(fromCents(TOP_UP_MIN_CENTS), missing))
    },
    [open],
  )
}
