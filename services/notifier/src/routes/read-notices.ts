import type { noticesApi } from '@prelude/contracts'
import type { Clock, Database, RouteHandler } from '@prelude/platform'
import { markRead } from '../store/notice.ts'

export const readNotices =
  (db: Database, clock: Clock): RouteHandler<typeof noticesApi.read> =>
  async ({ params: { uid = '' }, body: { before } }) => {
    await markRead(db, uid, { before, now: clock.now() })
    return {}
  }
