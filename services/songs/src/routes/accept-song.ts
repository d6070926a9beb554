import type { Song, songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { accepted } from '../domain/delivery.ts'
import { present, songIdOf } from './present.ts'

export const acceptSong =
  (db: Database) =>
  async ({ params }: RouteContext<typeof songsApi.accept>): Promise<Song> =>
    present(
      await db.transaction((tx) => changeSong(tx, songIdOf(params), (song) => accepted(song, Date.now()))),
    )
