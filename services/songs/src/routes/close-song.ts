import { type EventData, type Song, SongClosed, type songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { type Change, changeSongOnce } from '../change-song.ts'
import { cancelled, declined, refunded } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

export const cancelSong =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.cancel> =>
  ({ params, query }) =>
    close(db, clock.now(), { id: songIdOf(params), ...query }, 'cancelled', cancelled)

export const declineSong =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.decline> =>
  ({ params, query, body: { reason } }) =>
    close(db, clock.now(), { id: songIdOf(params), ...query }, 'declined', (song, at) =>
      declined(song, reason, at),
    )

export const refundSong =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.refund> =>
  ({ params, query, body }) =>
    close(db, clock.now(), { id: songIdOf(params), ...query }, 'stays', (song, at) =>
      refunded(song, { ...body, at }),
    )

/** Credits gives back what it took, on the event. */
const close = (
  db: Database,
  at: number,
  call: { id: string; callId?: string },
  as: EventData<typeof SongClosed>['reason'] | 'stays',
  change: Change,
): Promise<Song> =>
  db.transaction(async (tx) => {
    const song = await changeSongOnce(tx, at, call, change, ({ id: songId, uid }, { charge }) =>
      tx.emit(SongClosed, {
        songId,
        uid,
        ...(as === 'stays' ? { reason: 'cancelled', stays: true } : { reason: as }),
        free: charge === 'gift' || charge === 'refunded',
      }),
    )
    return present(song)
  })
