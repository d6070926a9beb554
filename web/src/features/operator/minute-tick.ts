import { useEffect, useReducer } from 'react'

const MINUTE_MS = 60_000

/** Re-renders every minute, so that ages stay current. */
export function useMinuteTick(): void {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
}
