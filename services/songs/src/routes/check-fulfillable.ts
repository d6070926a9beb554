import type { Song, songsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext } from '@prelude/platform'
import { assertFulfillable } from '../domain/song.ts'
import { findSong } from '../store/song.ts'
import { present, songIdOf } from './present.ts'

/** Asked before two large files are sent, so that nothing is uploaded in vain; `fulfil` checks again. */
export const checkFulfillable =
  (db: Database) =>
  async ({ params, query }: RouteContext<typeof songsApi.checkFulfillable>): Promise<Song> => {
    const song = await findSong(db, songIdOf(params))
    if (song === null) throw new AppError('song_not_found')
    assertFulfillable(song, query.gift)
    return present(song)
  }
