import type { UserRegistered } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import type { Ledger } from '../store/ledger.ts'

/** Opens the account at registration, so that its balance can be shown at once; any later operation would open it too. */
export const openAccount =
  (ledger: Ledger): Handler<typeof UserRegistered> =>
  async (event, tx) => {
    await ledger.lockAccount(tx, event.data.uid)
  }
