import type { ReplyOf, songsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext } from '@prelude/platform'
import { findEarlierChanges } from '../store/song.ts'
import { songIdOf } from './present.ts'

export const listEarlierChanges =
  (db: Database) =>
  async ({
    params,
  }: RouteContext<typeof songsApi.earlierChanges>): Promise<ReplyOf<typeof songsApi.earlierChanges>> => {
    const items = await findEarlierChanges(db, songIdOf(params))
    if (items === null) throw new AppError('song_not_found')
    return { items }
  }
