import { useEffect } from 'react'
import { createStore } from './store.ts'

/** One for each thing that a reload would lose and no storage keeps, such as chosen files. */
const holds = createStore<ReadonlySet<object>>(new Set())

/** Keeps a new build from reloading the page until the returned function is called. */
export function holdPage(): () => void {
  const hold = {}
  holds.set(new Set([...holds.get(), hold]))
  return () => holds.set(new Set([...holds.get()].filter((one) => one !== hold)))
}

export function useHeldPage(isHeld: boolean): void {
  useEffect(() => (isHeld ? holdPage() : undefined), [isHeld])
}

export const isPageHeld = (): boolean => holds.get().size > 0
export const useIsPageHeld = (): boolean => holds.use().size > 0
