import type { UserRegistered } from '@prelude/contracts'
import type { Handler } from '@prelude/platform'
import type { Ledger } from '../store/ledger.ts'

/** So that a new person's balance is there before anything is asked or charged; any other first touch would do it too. */
export const openAccount =
  (ledger: Ledger): Handler<typeof UserRegistered> =>
  async (event, tx) => {
    await ledger.lockAccount(tx, event.data.uid)
  }
