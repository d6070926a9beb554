import type { ReplyOf, songsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext } from '@prelude/platform'
import { findSong } from '../store/song.ts'
import { songIdOf } from './present.ts'

export const listTakes =
  (db: Database) =>
  async ({ params }: RouteContext<typeof songsApi.takes>): Promise<ReplyOf<typeof songsApi.takes>> => {
    const song = await findSong(db, songIdOf(params))
    if (song === null) throw new AppError('song_not_found')
    return { takes: [...song.takes] }
  }
