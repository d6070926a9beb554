import { useState } from 'react'
import type { Song } from '@prelude/contracts'
import { api, ApiProblem, errorMessage } from '../../api/client.ts'
import { invalidate, putSong } from '../../api/queries.ts'

/**
 * Something that the owner does to a song, by its path: one at a time, with the answer shown everywhere. `run` resolves to
 * whether it was done; `error` is the last refusal, and `at` a key for it.
 */
export function useSongAction(songId: string) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<{ text: string; at: number } | null>(null)
  const attempt = async (send: () => Promise<Song>): Promise<boolean> => {
    if (busy) return false
    setBusy(true)
    setError(null)
    try {
      putSong(await send())
      return true
    } catch (failure) {
      setError({ text: errorMessage(failure), at: Date.now() })
      // another state than the one on screen refused it
      if (failure instanceof ApiProblem && failure.status === 409) invalidate({ queryKey: ['song', songId] })
      return false
    } finally {
      setBusy(false)
    }
  }
  const path = `/api/songs/${songId}`
  return {
    busy,
    error,
    run: (action: 'cancel' | 'accept'): Promise<boolean> =>
      attempt(() => api.post<Song>(`${path}/${action}`)),
    correct: (texts: { lyrics: string; style: string }): Promise<boolean> =>
      attempt(() => api.patch<Song>(path, texts)),
    askChanges: (notes: readonly object[], idempotencyKey: string): Promise<boolean> =>
      attempt(() => api.post<Song>(`${path}/changes`, { notes }, { idempotencyKey })),
  }
}
