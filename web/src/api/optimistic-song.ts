import { useSyncExternalStore } from 'react'

/** A song request in flight, which the album shows before the server has answered. */
export interface OptimisticSong {
  readonly lyrics: string
  readonly style: string
}

let current: OptimisticSong | null = null
const listeners = new Set<() => void>()

function set(next: OptimisticSong | null): void {
  current = next
  for (const listener of listeners) listener()
}

/** Shows a request in the album until the returned function is called. */
export function showOptimisticSong(request: OptimisticSong): () => void {
  set(request)
  return () => {
    if (current === request) set(null)
  }
}

export const useOptimisticSong = (): OptimisticSong | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
