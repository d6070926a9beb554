import { type EventData, type Song, SongClosed, type songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { type Change, changeSong } from '../change-song.ts'
import { cancelled, declined, refunded } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

export const cancelSong =
  (db: Database, clock: Clock) =>
  ({ params }: RouteContext<typeof songsApi.cancel>): Promise<Song> =>
    close(db, clock.now(), songIdOf(params), 'cancelled', cancelled)

export const declineSong =
  (db: Database, clock: Clock) =>
  ({ params, body: { reason } }: RouteContext<typeof songsApi.decline>): Promise<Song> =>
    close(db, clock.now(), songIdOf(params), 'declined', (song, at) => declined(song, reason, at))

export const refundSong =
  (db: Database, clock: Clock) =>
  ({ params, body }: RouteContext<typeof songsApi.refund>): Promise<Song> =>
    close(db, clock.now(), songIdOf(params), 'refunded', (song, at) => refunded(song, { ...body, at }))

/** Credits gives back what it took, on the event. */
const close = (
  db: Database,
  at: number,
  id: string,
  reason: EventData<typeof SongClosed>['reason'],
  change: Change,
): Promise<Song> =>
  db.transaction(async (tx) => {
    let free = false
    const song = await changeSong(tx, at, id, (before) => {
      free = before.charge === 'gift' || before.charge === 'refunded'
      return change(before, at)
    })
    tx.emit(SongClosed, { songId: song.id, uid: song.uid, reason, free })
    return present(song)
  })
