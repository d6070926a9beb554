import { ChangesAsked, type Song, type songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { withChangesAsked } from '../domain/delivery.ts'
import type { Terms } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

export const askChanges =
  (db: Database, terms: Terms) =>
  ({ params, body: { notes } }: RouteContext<typeof songsApi.askChanges>): Promise<Song> =>
    db.transaction(async (tx) => {
      const song = await changeSong(tx, songIdOf(params), (song) =>
        withChangesAsked(song, { notes, at: Date.now(), terms }),
      )
      tx.emit(ChangesAsked, { songId: song.id, uid: song.uid })
      return present(song)
    })
