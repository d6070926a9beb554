import type { preferencesApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { readPreferences } from '../store/preference.ts'

export const getPreferences =
  (db: Database): RouteHandler<typeof preferencesApi.get> =>
  ({ params: { uid = '' } }) =>
    readPreferences(db, uid)
