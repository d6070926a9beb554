import type { songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { present, songIdOf } from './present.ts'

export const writeNote =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.note> =>
  async ({ params, body: { text: note } }) =>
    present(
      await db.transaction((tx) =>
        changeSong(tx, clock.now(), songIdOf(params), (song) =>
          song.note === note ? song : { ...song, note },
        ),
      ),
    )
