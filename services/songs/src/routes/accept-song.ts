import type { Song, songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { accepted } from '../domain/delivery.ts'
import { present, songIdOf } from './present.ts'

export const acceptSong =
  (db: Database, clock: Clock) =>
  async ({ params }: RouteContext<typeof songsApi.accept>): Promise<Song> =>
    present(await db.transaction((tx) => changeSong(tx, clock.now(), songIdOf(params), accepted)))
