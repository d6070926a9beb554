import type { KeptPreferences, preferencesApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { readPreferences } from '../store/preference.ts'

export const getPreferences =
  (db: Database) =>
  ({ params: { uid = '' } }: RouteContext<typeof preferencesApi.get>): Promise<KeptPreferences> =>
    readPreferences(db, uid)
