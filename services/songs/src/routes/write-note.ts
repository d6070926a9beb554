import type { Song, songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { present, songIdOf } from './present.ts'

export const writeNote =
  (db: Database) =>
  async ({ params, body: { text: note } }: RouteContext<typeof songsApi.note>): Promise<Song> =>
    present(
      await db.transaction((tx) =>
        changeSong(tx, songIdOf(params), (song) => (song.note === note ? song : { ...song, note })),
      ),
    )
