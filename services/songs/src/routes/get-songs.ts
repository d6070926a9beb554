import type { ReplyOf, songsApi } from '@prelude/contracts'
import { type Database, isId, type RouteContext } from '@prelude/platform'
import { findSongs } from '../store/song.ts'
import { present } from './present.ts'

export const getSongs =
  (db: Database) =>
  async ({ body }: RouteContext<typeof songsApi.byIds>): Promise<ReplyOf<typeof songsApi.byIds>> => ({
    items: (await findSongs(db, body.ids.filter(isId))).map(present),
  })
