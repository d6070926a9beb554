import { useEffect } from 'react'

/** One for each thing that a reload would lose and no storage keeps, such as chosen files. */
const holds = new Set<object>()

/** Keeps a new build from reloading the page until the returned function is called. */
export function holdPage(): () => void {
  const hold = {}
  holds.add(hold)
  return () => void holds.delete(hold)
}

export function useHeldPage(isHeld: boolean): void {
  useEffect(() => (isHeld ? holdPage() : undefined), [isHeld])
}

export const isPageHeld = (): boolean => holds.size > 0
