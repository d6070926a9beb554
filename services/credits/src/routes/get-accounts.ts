import type { creditsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { readAccounts } from '../store/accounts.ts'

export const getAccounts =
  (db: Database): RouteHandler<typeof creditsApi.accounts> =>
  async ({ body }) => ({
    items: await readAccounts(db, body.uids),
  })
