import type { songsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { assertFulfillable } from '../domain/song.ts'
import { present, songIn } from './present.ts'

/** Asked before two large files are sent, so that nothing is uploaded in vain; `fulfil` checks again. */
export const checkFulfillable =
  (db: Database): RouteHandler<typeof songsApi.checkFulfillable> =>
  async ({ params, query }) => {
    const song = await songIn(db, params)
    assertFulfillable(song, query.gift)
    return present(song)
  }
