import type { Song, songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { withoutHold } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

/** Only after credits has refused the refund: one that may still be posted keeps its hold. */
export const releaseHold =
  (db: Database, clock: Clock) =>
  async ({ params }: RouteContext<typeof songsApi.releaseHold>): Promise<Song> =>
    present(await db.transaction((tx) => changeSong(tx, clock.now(), songIdOf(params), withoutHold)))
