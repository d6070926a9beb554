import { createStore } from './store.ts'

/** A song request in flight, which the album shows before the server has answered. */
export interface OptimisticSong {
  readonly lyrics: string
  readonly style: string
}

const current = createStore<OptimisticSong | null>(null)

/** Shows a request in the album until the returned function is called. */
export function showOptimisticSong(request: OptimisticSong): () => void {
  current.set(request)
  return () => {
    if (current.get() === request) current.set(null)
  }
}

export const useOptimisticSong = (): OptimisticSong | null => current.use()
