import type { Song, songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { withMade } from '../domain/delivery.ts'
import { present, songIdOf } from './present.ts'

export const stateMade =
  (db: Database, clock: Clock) =>
  async ({ params, body: { made } }: RouteContext<typeof songsApi.stateMade>): Promise<Song> =>
    present(
      await db.transaction((tx) =>
        changeSong(tx, clock.now(), songIdOf(params), (song) => withMade(song, made)),
      ),
    )
