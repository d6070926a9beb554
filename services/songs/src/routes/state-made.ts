import type { songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { withMade } from '../domain/delivery.ts'
import { present, songIdOf } from './present.ts'

export const stateMade =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.stateMade> =>
  async ({ params, body: { made } }) =>
    present(
      await db.transaction((tx) =>
        changeSong(tx, clock.now(), songIdOf(params), (song) => withMade(song, made)),
      ),
    )
