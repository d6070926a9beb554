import type { Song, songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { heldForRefund } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

/** Comes before the credits are given back, or a fulfilment in between would hand out a song that was refunded. */
export const holdForRefund =
  (db: Database, clock: Clock) =>
  async ({ params, body }: RouteContext<typeof songsApi.holdForRefund>): Promise<Song> =>
    present(
      await db.transaction((tx) =>
        changeSong(tx, clock.now(), songIdOf(params), (song) => heldForRefund(song, body)),
      ),
    )
