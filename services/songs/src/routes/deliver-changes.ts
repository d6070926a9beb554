import { ChangesDelivered, type Song, type songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { changeByObjects } from '../change-song.ts'
import { withChangesDelivered } from '../domain/delivery.ts'
import { present, songIdOf } from './present.ts'

export const deliverChanges =
  (db: Database, clock: Clock) =>
  async ({ params, body: { objects } }: RouteContext<typeof songsApi.deliverChanges>): Promise<Song> =>
    present(
      await changeByObjects(
        { db, clock },
        songIdOf(params),
        objects.map(({ object }) => object),
        (song, at) => withChangesDelivered(song, objects, at),
        (tx, { id: songId, uid }) => tx.emit(ChangesDelivered, { songId, uid }),
      ),
    )
