import type { ReplyOf, songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { countSongs as count } from '../store/song.ts'

export const countSongs =
  (db: Database) =>
  ({
    params: { uid = '' },
  }: RouteContext<typeof songsApi.ofPerson>): Promise<ReplyOf<typeof songsApi.ofPerson>> =>
    count(db, uid)
