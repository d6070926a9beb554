import type { Song, songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { changeByObjects } from '../change-song.ts'
import { withTakes } from '../domain/takes.ts'
import { present, songIdOf } from './present.ts'

export const addTakes =
  (db: Database) =>
  async ({ params, body: { objects } }: RouteContext<typeof songsApi.addTakes>): Promise<Song> => {
    const placed = objects.map(({ object }) => object)
    return present(
      await changeByObjects(db, songIdOf(params), placed, (song) => withTakes(song, objects, Date.now())),
    )
  }
