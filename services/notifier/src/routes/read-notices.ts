import type { noticesApi, ReplyOf } from '@prelude/contracts'
import type { Clock, Database, RouteContext } from '@prelude/platform'
import { markRead } from '../store/notice.ts'

export const readNotices =
  (db: Database, clock: Clock) =>
  async ({
    params: { uid = '' },
    body: { before },
  }: RouteContext<typeof noticesApi.read>): Promise<ReplyOf<typeof noticesApi.read>> => {
    await markRead(db, uid, { before, now: clock.now() })
    return {}
  }
