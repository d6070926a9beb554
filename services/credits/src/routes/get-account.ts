import type { Account, creditsApi } from '@prelude/contracts'
import type { Database, RouteHandler } from '@prelude/platform'
import { readAccounts } from '../store/accounts.ts'
import type { Ledger } from '../store/ledger.ts'

/** Opens the account of a person who has none. */
export const getAccount =
  (db: Database, ledger: Ledger): RouteHandler<typeof creditsApi.account> =>
  ({ params: { uid = '' } }) =>
    openedAccount(db, ledger, uid)

/** Reads without a lock; only an account that has to be opened first costs a transaction. */
export async function openedAccount(db: Database, ledger: Ledger, uid: string): Promise<Account> {
  const [account] = await readAccounts(db, [uid])
  return account ?? db.transaction((tx) => ledger.lockAccount(tx, uid))
}
