import type { Song, songsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext } from '@prelude/platform'
import { findSong } from '../store/song.ts'
import { present, songIdOf } from './present.ts'

export const getSong =
  (db: Database) =>
  async ({ params }: RouteContext<typeof songsApi.get>): Promise<Song> => {
    const song = await findSong(db, songIdOf(params))
    if (song === null) throw new AppError('song_not_found')
    return present(song)
  }
