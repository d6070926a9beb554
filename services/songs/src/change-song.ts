import { SongUpdated } from '@prelude/contracts'
import { AppError, type Cause, type Tx } from '@prelude/platform'
import { lockSongs, saveSongs, type SongRecord } from './store/song.ts'

type Change = (song: SongRecord) => SongRecord

/**
 * The one way a song changes: under its row's lock, with the next revision and an event. Nothing happens when `change`
 * gives the same object back. Errors: song_not_found, and those of `change`.
 */
export async function changeSong(tx: Tx, id: string, change: Change): Promise<SongRecord> {
  const [song] = await changeSongs(tx, [{ id, change }])
  if (!song) throw new AppError('song_not_found')
  return song
}

/** The same for many songs in one round trip, in order; `null` for one that does not exist. */
export async function changeSongs(
  tx: Tx,
  changes: readonly { readonly id: string; readonly change: Change; readonly cause?: Cause }[],
): Promise<(SongRecord | null)[]> {
  const songs = await lockSongs(
    tx,
    changes.map(({ id }) => id),
  )
  const saved = new Map<string, SongRecord>()
  const results = changes.map(({ id, change, cause }) => {
    const before = songs.get(id)
    if (!before) return null
    const changed = change(before)
    if (changed === before) return before
    const after = { ...changed, revision: before.revision + 1 }
    songs.set(id, after)
    saved.set(id, after)
    tx.emit(SongUpdated, { songId: after.id, uid: after.uid, revision: after.revision }, cause)
    return after
  })
  if (saved.size > 0) await saveSongs(tx, [...saved.values()])
  return results
}
