import { SongStarted, type songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { mostAhead, started, type Terms } from '../domain/song.ts'
import { countCharged } from '../store/song.ts'
import { present, songIdOf } from './present.ts'

/** A song that is started already emits the event again, which has no further effect at its consumers. */
export const startSong =
  (db: Database, clock: Clock, terms: Terms): RouteHandler<typeof songsApi.start> =>
  ({ params, body: { gift } }) =>
    db.transaction(async (tx) => {
      const ahead = await countCharged(tx, mostAhead(terms))
      const song = await changeSong(tx, await clock.databaseNow(tx), songIdOf(params), (song, at) =>
        started(song, { gift, at, ahead, terms }),
      )
      const { id: songId, uid, charge } = song
      tx.emit(SongStarted, { songId, uid, gift: charge === 'gift' })
      return present(song)
    })
