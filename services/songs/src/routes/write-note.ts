import type { Song, songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { present, songIdOf } from './present.ts'

export const writeNote =
  (db: Database, clock: Clock) =>
  async ({ params, body: { text: note } }: RouteContext<typeof songsApi.note>): Promise<Song> =>
    present(
      await db.transaction((tx) =>
        changeSong(tx, clock.now(), songIdOf(params), (song) =>
          song.note === note ? song : { ...song, note },
        ),
      ),
    )
