import type { songsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { present, songIn } from './present.ts'

export const getSong =
  (db: Database): RouteHandler<typeof songsApi.get | typeof songsApi.words> =>
  async ({ params }) =>
    present(await songIn(db, params))
