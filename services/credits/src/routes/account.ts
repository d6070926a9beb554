import { type Account, creditsApi } from '@prelude/contracts'
import { type Database, route } from '@prelude/platform'
import type { FastifyInstance } from 'fastify'
import { readAccounts } from '../store/accounts.ts'
import type { Ledger } from '../store/ledger.ts'

export interface RouteDeps {
  readonly db: Database
  readonly ledger: Ledger
}

/** Reads without a lock; only somebody nobody knew yet costs a transaction. */
export async function openedAccount({ db, ledger }: RouteDeps, uid: string): Promise<Account> {
  const [account] = await readAccounts(db, [uid])
  return account ?? db.transaction((tx) => ledger.lockAccount(tx, uid))
}

export function accountRoute(app: FastifyInstance, deps: RouteDeps): void {
  route(app, creditsApi.account, ({ params: { uid = '' } }) => openedAccount(deps, uid))
}
