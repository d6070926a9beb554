import type { songsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteHandler } from '@prelude/platform'
import { findEarlierChanges } from '../store/song.ts'
import { songIdOf } from './present.ts'

export const listEarlierChanges =
  (db: Database): RouteHandler<typeof songsApi.earlierChanges> =>
  async ({ params }) => {
    const items = await findEarlierChanges(db, songIdOf(params))
    if (items === null) throw new AppError('song_not_found')
    return { items }
  }
