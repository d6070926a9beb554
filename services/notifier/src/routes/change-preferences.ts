import type { preferencesApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { changePreferences as change } from '../store/preference.ts'

export const changePreferences =
  (db: Database): RouteHandler<typeof preferencesApi.change> =>
  ({ params: { uid = '' }, body }) =>
    db.transaction((tx) => change(tx, uid, body))
