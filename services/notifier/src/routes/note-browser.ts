import type { preferencesApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { noteBrowser as note } from '../store/preference.ts'

export const noteBrowser =
  (db: Database): RouteHandler<typeof preferencesApi.note> =>
  async ({ params: { uid = '' }, body }) => {
    await note(db, uid, body)
    return {}
  }
