import type { Song, songsApi } from '@prelude/contracts'
import { AppError, type Database, type RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { withVersion } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

/** The wrong file was uploaded: one version points to another object from now on. No mail is sent. */
export const replaceVersion =
  (db: Database) =>
  async ({ params, body }: RouteContext<typeof songsApi.replaceVersion>): Promise<Song> => {
    const id = songIdOf(params)
    if (params.n !== '1' && params.n !== '2') throw new AppError('not_found')
    const n = params.n === '1' ? 1 : 2
    const song = await db.transaction((tx) =>
      changeSong(tx, id, (song) => withVersion(song, n, body.storagePath, Date.now())),
    )
    return present(song)
  }
