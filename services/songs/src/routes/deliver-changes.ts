import { ChangesDelivered, type Song, type songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { changeByObjects } from '../change-song.ts'
import { withChangesDelivered } from '../domain/delivery.ts'
import { present, songIdOf } from './present.ts'

export const deliverChanges =
  (db: Database) =>
  async ({ params, body: { objects } }: RouteContext<typeof songsApi.deliverChanges>): Promise<Song> =>
    present(
      await changeByObjects(
        db,
        songIdOf(params),
        objects.map(({ object }) => object),
        (song) => withChangesDelivered(song, objects, Date.now()),
        (tx, { id: songId, uid }) => tx.emit(ChangesDelivered, { songId, uid }),
      ),
    )
