import type { paymentsApi, ReplyOf } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { countUnderWay as count } from '../store/closed-accounts.ts'

export const countUnderWay =
  (db: Database) =>
  async ({
    params: { uid = '' },
  }: RouteContext<typeof paymentsApi.underWay>): Promise<ReplyOf<typeof paymentsApi.underWay>> => ({
    count: await count(db, uid),
  })
