import type { songsApi } from '@prelude/contracts'
import { type Database, isId, type RouteHandler } from '@prelude/platform'
import { findSongs } from '../store/song.ts'
import { present } from './present.ts'

export const getSongs =
  (db: Database): RouteHandler<typeof songsApi.byIds> =>
  async ({ body }) => ({
    items: (await findSongs(db, body.ids.filter(isId))).map(present),
  })
