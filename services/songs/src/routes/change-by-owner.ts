import type { songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { corrected, marked } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

/** Lyrics and style change only before the song is made, everything else at any time. */
export const changeByOwner =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.change> =>
  async ({ params, body: { lyrics, style, ...marks } }) =>
    present(
      await db.transaction((tx) =>
        changeSong(tx, clock.now(), songIdOf(params), (song, at) => {
          const isCorrection = lyrics !== undefined || style !== undefined
          return marked(isCorrection ? corrected(song, { lyrics, style }, at) : song, marks)
        }),
      ),
    )
