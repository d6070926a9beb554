import { useState } from 'react'
import type { NewNote, Song, SongMarks } from '@prelude/contracts'
import { ApiProblem, call, errorMessage } from '../../api/client.ts'
import { invalidateSong, putSong } from '../../api/songs.ts'
import { toast } from '../../ui/toast.tsx'

/**
 * Something that the owner does to a song, by its path: one at a time, with the answer shown everywhere. Each resolves to
 * whether it was done; `error` is the last refusal, and `at` a key for it.
 */
export function useSongAction(songId: string) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<{ text: string; at: number } | null>(null)
  const showError = (text: string): void => setError({ text, at: Date.now() })
  const attempt = async (
    send: () => Promise<Song>,
    report: (text: string) => void = showError,
  ): Promise<boolean> => {
    if (busy) return false
    setBusy(true)
    setError(null)
    try {
      putSong(await send())
      return true
    } catch (failure) {
      report(errorMessage(failure))
      // another state than the one on screen refused it
      if (failure instanceof ApiProblem && failure.status === 409) invalidateSong(songId)
      return false
    } finally {
      setBusy(false)
    }
  }
  const params = { id: songId }
  return {
    busy,
    error,
    /** The same key: it has succeeded when it is sent again after a lost answer. */
    cancel: (idempotencyKey: string): Promise<boolean> =>
      attempt(() => call('POST /api/songs/:id/cancel', { params, idempotencyKey })),
    accept: (): Promise<boolean> => attempt(() => call('POST /api/songs/:id/accept', { params })),
    correct: (texts: { lyrics?: string; style?: string }): Promise<boolean> =>
      attempt(() => call('PATCH /api/songs/:id', { params, body: texts })),
    rename: (title: string | null): Promise<boolean> =>
      attempt(() => call('PATCH /api/songs/:id', { params, body: { title } })),
    /** A refusal is a message, since a mark has no form. */
    mark: (marks: SongMarks): Promise<boolean> =>
      attempt(() => call('PATCH /api/songs/:id', { params, body: marks }), toast.alert),
    askChanges: (notes: readonly NewNote[], idempotencyKey: string): Promise<boolean> =>
      attempt(() => call('POST /api/songs/:id/changes', { params, body: { notes }, idempotencyKey })),
  }
}
