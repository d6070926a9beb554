import { ChangesDelivered, type songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { changeByObjects } from '../change-song.ts'
import { withChangesDelivered } from '../domain/delivery.ts'
import { present, songIdOf } from './present.ts'

export const deliverChanges =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.deliverChanges> =>
  async ({ params, body: { objects } }) =>
    present(
      await changeByObjects(
        { db, clock },
        songIdOf(params),
        objects.map(({ object }) => object),
        (song, at) => withChangesDelivered(song, objects, at),
        (tx, { id: songId, uid }) => tx.emit(ChangesDelivered, { songId, uid }),
      ),
    )
