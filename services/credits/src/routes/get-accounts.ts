import type { creditsApi, ReplyOf } from '@prelude/contracts'
import type { Database, RouteContext } from '@prelude/platform'
import { readAccounts } from '../store/accounts.ts'

export const getAccounts =
  (db: Database) =>
  async ({
    body,
  }: RouteContext<typeof creditsApi.accounts>): Promise<ReplyOf<typeof creditsApi.accounts>> => ({
    items: await readAccounts(db, body.uids),
  })
