import type { Song, songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { released } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

export const releaseSong =
  (db: Database, clock: Clock) =>
  async ({ params }: RouteContext<typeof songsApi.release>): Promise<Song> =>
    present(await db.transaction((tx) => changeSong(tx, clock.now(), songIdOf(params), released)))
