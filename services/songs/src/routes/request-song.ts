import { type Song, SongRequested, SongUpdated, type songsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext } from '@prelude/platform'
import { findSong, insertSong } from '../store/song.ts'
import { present, songIdOf } from './present.ts'

/** The id comes from the caller: a repeated call answers the song that the first one made. */
export const requestSong =
  (db: Database) =>
  async ({ params, body }: RouteContext<typeof songsApi.request>): Promise<Song> => {
    const id = songIdOf(params)
    return db.transaction(async (tx) => {
      const { uid, username, email, lyrics, style } = body
      const song = await insertSong(tx, { id, uid, username, email, lyrics, style, createdAt: Date.now() })
      if (song === null) {
        const existing = await findSong(tx, id)
        // another person's song is never shown, whoever drew the id
        if (existing === null || existing.uid !== uid) throw new AppError('song_not_found')
        return present(existing)
      }
      tx.emit(SongRequested, { songId: song.id, uid })
      tx.emit(SongUpdated, { songId: song.id, uid, revision: song.revision })
      return present(song)
    })
  }
