import type { Song, songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { changeSong } from '../change-song.ts'
import { onRefunded } from '../domain/song.ts'
import { present, songIdOf } from './present.ts'

/** The same change as on CreditsRefunded, whichever comes first: the operator's answer shows it at once. */
export const recordRefund =
  (db: Database) =>
  async ({ params }: RouteContext<typeof songsApi.recordRefund>): Promise<Song> =>
    present(await db.transaction((tx) => changeSong(tx, songIdOf(params), onRefunded(Date.now()))))
