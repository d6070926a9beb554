import type { songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { accepted } from '../domain/delivery.ts'
import { present, songIdOf } from './present.ts'

export const acceptSong =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.accept> =>
  async ({ params }) =>
    present(await db.transaction((tx) => changeSong(tx, clock.now(), songIdOf(params), accepted)))
