import type { paymentsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { countUnderWay as count } from '../store/closed-accounts.ts'

export const countUnderWay =
  (db: Database): RouteHandler<typeof paymentsApi.underWay> =>
  async ({ params: { uid = '' } }) => ({
    count: await count(db, uid),
  })
