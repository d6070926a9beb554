import type { songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { released } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

export const releaseSong =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.release> =>
  async ({ params }) =>
    present(await db.transaction((tx) => changeSong(tx, clock.now(), songIdOf(params), released)))
