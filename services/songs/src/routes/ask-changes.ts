import { ChangesAsked, type songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { changeSongOnce } from '../change-song.ts'
import { withChangesAsked } from '../domain/delivery.ts'
import type { Terms } from '../domain/song.ts'
import { keepEarlierChanges } from '../store/song.ts'
import { present, songIdOf } from './present.ts'

export const askChanges =
  (db: Database, clock: Clock, terms: Terms): RouteHandler<typeof songsApi.askChanges> =>
  ({ params, query, body: { notes } }) =>
    db.transaction(async (tx) => {
      const now = await clock.databaseNow(tx)
      const song = await changeSongOnce(
        tx,
        now,
        { id: songIdOf(params), ...query },
        (found, at) => withChangesAsked(found, { notes, at, terms }),
        ({ id: songId, uid }, before) => {
          keepEarlierChanges(tx, before)
          tx.emit(ChangesAsked, { songId, uid })
        },
      )
      return present(song)
    })
