import type { songsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { songIn } from './present.ts'

export const listTakes =
  (db: Database): RouteHandler<typeof songsApi.takes> =>
  async ({ params }) => ({ takes: [...(await songIn(db, params)).takes] })
