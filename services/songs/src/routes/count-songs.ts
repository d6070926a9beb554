import type { songsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { countSongs as count } from '../store/song.ts'

export const countSongs =
  (db: Database): RouteHandler<typeof songsApi.ofPerson> =>
  ({ params: { uid = '' } }) =>
    count(db, uid)
