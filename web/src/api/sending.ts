import { useSyncExternalStore } from 'react'

/** A request that is on its way to the server: the album shows it at once, and takes it away again if it does not arrive. */
export interface Sending {
  readonly lyrics: string
  readonly style: string
}

let sending: Sending | null = null
const listeners = new Set<() => void>()

function change(next: Sending | null): void {
  sending = next
  for (const listener of listeners) listener()
}

/** Shows a request until the returned function is called. */
export function showSending(request: Sending): () => void {
  change(request)
  return () => {
    if (sending === request) change(null)
  }
}

export const useSending = (): Sending | null =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => sending,
  )
