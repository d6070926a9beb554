import { fromCents, SONG_PRICE_CENTS, TOP_UP_MIN_CENTS } from '@prelude/contracts'
import { useCallback, useEffect, useRef } from 'react'
import { useCredits, useDebt } from '../../api/credits.ts'
import { usePendingSongs, waitingAmong } from '../../api/songs.ts'
import { inCents } from '../../text/amount.ts'
import { useOverlays } from '../../state/overlays.ts'

interface Account {
  readonly balance: number
  readonly debt: number
  /** Requests that wait for credits, the oldest first; undefined until loaded. */
  readonly waiting: readonly string[] | undefined
}

/** The credits to add so that a request is charged, at least the smallest top-up: a debt and older requests come first. */
export function missingFor(songId: string, { balance, debt, waiting }: Account): number {
  const songs = 1 + Math.max(0, waiting?.indexOf(songId) ?? 0)
  const missingCents = songs * SONG_PRICE_CENTS + inCents(debt) - inCents(balance)
  return fromCents(Math.max(TOP_UP_MIN_CENTS, missingCents))
}

/**
 * Returns a stable function that opens the top-up dialog with the amount missing for a request. Fetches only while a request
 * `isWaiting` for credits.
 */
export function useTopUp(isWaiting: boolean): (songId: string) => void {
  const overlays = useOverlays()
  const pending = usePendingSongs(isWaiting)
  const current = {
    balance: useCredits() ?? 0,
    waiting: pending && waitingAmong(pending).map(({ id }) => id),
    debt: useDebt(isWaiting),
  }
  const latest = useRef(current)
  useEffect(() => {
    latest.current = current
  })
  return useCallback((songId) => overlays.openTopUp(missingFor(songId, latest.current)), [overlays])
}
