import { SongUpdated } from '@prelude/contracts'
import { AppError, type Tx } from '@prelude/platform'
import { lockSong, saveSong, type SongRecord } from './store/song.ts'

/**
 * The one way a song changes: under its row's lock, with the next revision and an event. No effect when `change` returns
 * the same object.
 * Errors: song_not_found, and those of `change`.
 */
export async function changeSong(
  tx: Tx,
  id: string,
  change: (song: SongRecord) => SongRecord,
): Promise<SongRecord> {
  const before = await lockSong(tx, id)
  if (before === null) throw new AppError('song_not_found')
  const changed = change(before)
  if (changed === before) return before
  const after = { ...changed, revision: before.revision + 1 }
  await saveSong(tx, after)
  tx.emit(SongUpdated, { songId: after.id, uid: after.uid, revision: after.revision })
  return after
}
