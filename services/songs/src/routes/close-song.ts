import { type Song, SongClosed, type songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { type Change, changeSong } from '../change-song.ts'
import { cancelled, declined } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

export const cancelSong =
  (db: Database) =>
  ({ params }: RouteContext<typeof songsApi.cancel>): Promise<Song> =>
    close(db, songIdOf(params), 'cancelled', (song) => cancelled(song, Date.now()))

export const declineSong =
  (db: Database) =>
  ({ params, body: { reason } }: RouteContext<typeof songsApi.decline>): Promise<Song> =>
    close(db, songIdOf(params), 'declined', (song) => declined(song, reason, Date.now()))

/** Credits gives back what it took, on the event. */
const close = (db: Database, id: string, reason: 'cancelled' | 'declined', change: Change): Promise<Song> =>
  db.transaction(async (tx) => {
    let free = false
    const song = await changeSong(tx, id, (before) => {
      free = before.charge === 'gift' || before.charge === 'refunded'
      return change(before)
    })
    tx.emit(SongClosed, { songId: song.id, uid: song.uid, reason, free })
    return present(song)
  })
