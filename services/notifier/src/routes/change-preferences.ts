import type { Preferences, preferencesApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { changePreferences as change } from '../store/preference.ts'

export const changePreferences =
  (db: Database) =>
  ({ params: { uid = '' }, body }: RouteContext<typeof preferencesApi.change>): Promise<Preferences> =>
    db.transaction((tx) => change(tx, uid, body))
