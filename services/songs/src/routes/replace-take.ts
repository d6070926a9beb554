import { type songsApi, TakeReplaced } from '@prelude/contracts'
import { AppError, type Clock, type Database, type RouteHandler } from '@prelude/platform'
import { changeByObjects } from '../change-song.ts'
import { withReplacedTake } from '../domain/takes.ts'
import { present, songIdOf } from './present.ts'

/** Gives a take another object, after a wrong file was uploaded. */
export const replaceTake =
  (db: Database, clock: Clock): RouteHandler<typeof songsApi.replaceTake> =>
  async ({ params, body: { replaces, object } }) => {
    const id = songIdOf(params)
    if (params.n !== '1' && params.n !== '2') throw new AppError('not_found')
    const version = params.n === '1' ? 1 : 2
    return present(
      await changeByObjects(
        { db, clock },
        id,
        [object],
        (song, at) => withReplacedTake(song, { version, replaces, object }, at),
        (tx, { id: songId, uid }) => tx.emit(TakeReplaced, { songId, uid }),
      ),
    )
  }
