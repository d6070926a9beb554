import type { songsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { assertChangesAsked } from '../domain/delivery.ts'
import { present, songIn } from './present.ts'

/** Asked before files are sent; `deliverChanges` checks again. */
export const checkChanges =
  (db: Database): RouteHandler<typeof songsApi.checkChanges> =>
  async ({ params }) => {
    const song = await songIn(db, params)
    assertChangesAsked(song)
    return present(song)
  }
