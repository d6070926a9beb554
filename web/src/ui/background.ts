import { type ReactNode, useSyncExternalStore } from 'react'

let content: ReactNode = null
const listeners = new Set<() => void>()

/** Shows something below every page: work that goes on when its own page is left. Null removes it. */
export function setBackground(next: ReactNode): void {
  content = next
  for (const listener of listeners) listener()
}

export const Background = (): ReactNode =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => content,
  )
