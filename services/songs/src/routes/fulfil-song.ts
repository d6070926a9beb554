import { type Song, SongFulfilled, type songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { fulfilled } from '../domain/song.ts'
import type { SongsMeasures } from '../measures.ts'
import { present, songIdOf } from './present.ts'

export const fulfilSong =
  (db: Database, measures: SongsMeasures) =>
  async ({ params, body }: RouteContext<typeof songsApi.fulfil>): Promise<Song> => {
    const song = await db.transaction(async (tx) => {
      const song = await changeSong(tx, songIdOf(params), (song) =>
        fulfilled(song, { ...body, at: Date.now() }),
      )
      tx.emit(SongFulfilled, { songId: song.id, uid: song.uid, gift: song.charge === 'gift' })
      return song
    })
    measures.fulfilled(song)
    return present(song)
  }
