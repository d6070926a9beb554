import type { Song, songsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext } from '@prelude/platform'
import { assertChangesAsked } from '../domain/delivery.ts'
import { findSong } from '../store/song.ts'
import { present, songIdOf } from './present.ts'

/** Asked before files are sent; `deliverChanges` checks again. */
export const checkChanges =
  (db: Database) =>
  async ({ params }: RouteContext<typeof songsApi.checkChanges>): Promise<Song> => {
    const song = await findSong(db, songIdOf(params))
    if (song === null) throw new AppError('song_not_found')
    assertChangesAsked(song)
    return present(song)
  }
