import type { Song, songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { corrected } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

/** A title can change at any time, lyrics and style only before the song is made. */
export const changeTexts =
  (db: Database) =>
  async ({ params, body }: RouteContext<typeof songsApi.change>): Promise<Song> =>
    present(
      await db.transaction((tx) =>
        changeSong(tx, songIdOf(params), (song) => {
          const isCorrection = body.lyrics !== undefined || body.style !== undefined
          const after = isCorrection ? corrected(song, body, Date.now()) : song
          const { title = song.title } = body
          return title === song.title ? after : { ...after, title }
        }),
      ),
    )
