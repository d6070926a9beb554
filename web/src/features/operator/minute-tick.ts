import { useEffect, useReducer } from 'react'
import { useLanguage } from '../../messages.ts'

const MINUTE_MS = 60_000

/**
 * Re-renders every minute, so that ages stay current. The result is another one each minute and in each language: a memoised
 * row that gets it as a property renders again too.
 */
export function useMinuteTick(): string {
  const [count, tick] = useReducer((now: number) => now + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  return `${count} ${useLanguage()}`
}
