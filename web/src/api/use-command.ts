import { useState } from 'react'
import { errorMessage } from './client.ts'
import { reportError } from './client-errors.ts'

/**
 * Runs a command, one at a time; `run` resolves to whether it succeeded. What refuses it goes to `report`, else it is `error`,
 * until the next one or `clear`; `at` is its key, so that a repeated text is announced again.
 */
export function useCommand<A extends readonly unknown[]>(
  command: (...given: A) => Promise<unknown>,
  report?: (text: string) => void,
) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<{ text: string; at: number } | null>(null)
  const refuse = (text: string): void => setError({ text, at: Date.now() })
  const run = async (...given: A): Promise<boolean> => {
    if (busy) return false
    setBusy(true)
    setError(null)
    try {
      await command(...given)
      return true
    } catch (failure) {
      reportError(failure)
      ;(report ?? refuse)(errorMessage(failure))
      return false
    } finally {
      setBusy(false)
    }
  }
  return { busy, error, refuse, clear: () => setError(null), run }
}
