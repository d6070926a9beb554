import { SongFulfilled, type songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { changeByObjects } from '../change-song.ts'
import { fulfilled } from '../domain/delivery.ts'
import type { SongsMeasures } from '../measures.ts'
import { present, songIdOf } from './present.ts'

export const fulfilSong =
  (db: Database, clock: Clock, measures: SongsMeasures): RouteHandler<typeof songsApi.fulfil> =>
  async ({ params, body }) => {
    const song = await changeByObjects(
      { db, clock },
      songIdOf(params),
      [body.version1, body.version2],
      (song, at) => fulfilled(song, { ...body, at }),
      (tx, { id: songId, uid, charge }) => tx.emit(SongFulfilled, { songId, uid, gift: charge === 'gift' }),
    )
    measures.fulfilled(song)
    return present(song)
  }
