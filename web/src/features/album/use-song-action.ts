import type { NewNote, Song, SongMarks } from '@prelude/contracts'
import { ApiProblem, call } from '../../api/client.ts'
import { invalidateSong, putSong } from '../../api/songs.ts'
import { useCommand } from '../../api/use-command.ts'
import { toast } from '../../ui/toast.tsx'

/**
 * Something that the owner does to a song, with the answer shown everywhere. Each resolves to whether it was done; `error` is the
 * last refusal.
 */
export function useSongAction(songId: string) {
  const attempt = async (send: () => Promise<Song>): Promise<void> =>
    putSong(
      await send().catch((failure: unknown) => {
        // another state than the one on screen refused it
        if (failure instanceof ApiProblem && failure.status === 409) invalidateSong(songId)
        throw failure
      }),
    )
  const { busy, error, run } = useCommand(attempt)
  const marking = useCommand(attempt, toast.alert)
  const params = { id: songId }
  return {
    busy: busy || marking.busy,
    error,
    /** The same key: it has succeeded when it is sent again after a lost answer. */
    cancel: (idempotencyKey: string): Promise<boolean> =>
      run(() => call('POST /api/songs/:id/cancel', { params, idempotencyKey })),
    accept: (): Promise<boolean> => run(() => call('POST /api/songs/:id/accept', { params })),
    correct: (texts: { lyrics?: string; style?: string }): Promise<boolean> =>
      run(() => call('PATCH /api/songs/:id', { params, body: texts })),
    rename: (title: string | null): Promise<boolean> =>
      run(() => call('PATCH /api/songs/:id', { params, body: { title } })),
    /** A refusal is a message, since a mark has no form. */
    mark: (marks: SongMarks): Promise<boolean> =>
      marking.run(() => call('PATCH /api/songs/:id', { params, body: marks })),
    askChanges: (notes: readonly NewNote[], idempotencyKey: string): Promise<boolean> =>
      run(() => call('POST /api/songs/:id/changes', { params, body: { notes }, idempotencyKey })),
  }
}
