import { ChangesAsked, type Song, type songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { withChangesAsked } from '../domain/delivery.ts'
import type { Terms } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

export const askChanges =
  (db: Database, clock: Clock, terms: Terms) =>
  ({ params, body: { notes } }: RouteContext<typeof songsApi.askChanges>): Promise<Song> =>
    db.transaction(async (tx) => {
      const now = await clock.databaseNow(tx)
      const song = await changeSong(tx, now, songIdOf(params), (song, at) =>
        withChangesAsked(song, { notes, at, terms }),
      )
      tx.emit(ChangesAsked, { songId: song.id, uid: song.uid })
      return present(song)
    })
