import type { ReplyOf, songsApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { findNamedPaths } from '../store/take.ts'

export const listNamedPaths =
  (db: Database) =>
  async ({
    body,
  }: RouteContext<typeof songsApi.namedPaths>): Promise<ReplyOf<typeof songsApi.namedPaths>> => ({
    paths: await findNamedPaths(db, body.paths),
  })
