import type { songsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { findNamedPaths } from '../store/take.ts'

export const listNamedPaths =
  (db: Database): RouteHandler<typeof songsApi.namedPaths> =>
  async ({ body }) => ({
    paths: await findNamedPaths(db, body.paths),
  })
