import { useEffect, useState } from 'react'

/** A slow typist searches a few times a phrase; the server allows 120 searches a minute. */
export const SEARCH_DELAY_MS = 400

/** The value once it has not changed for `delayMs`. */
export function useDebounced<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return settled
}
