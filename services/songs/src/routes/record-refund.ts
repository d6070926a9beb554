import type { Song, songsApi } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { onRefunded } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

/** The same change as on CreditsRefunded, whichever comes first: the operator's answer shows it at once. */
export const recordRefund =
  (db: Database, clock: Clock) =>
  async ({ params }: RouteContext<typeof songsApi.recordRefund>): Promise<Song> => {
    const at = clock.now()
    return present(await db.transaction((tx) => changeSong(tx, at, songIdOf(params), onRefunded(at))))
  }
