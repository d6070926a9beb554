import type { preferencesApi } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { noteBrowser as note } from '../store/preference.ts'

export const noteBrowser =
  (db: Database) =>
  async ({ params: { uid = '' }, body }: RouteContext<typeof preferencesApi.note>): Promise<object> => {
    await note(db, uid, body)
    return {}
  }
