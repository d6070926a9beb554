import {
  AccountClosed,
  PaymentReinstated,
  PaymentReversed,
  PaymentSucceeded,
  SongFulfilled,
  SongRequested,
  UserRegistered,
} from '@prelude/contracts'
import { type Database, on, type Service, type ServiceSchema } from '@prelude/platform'
import { chargeForSong } from './handlers/charge-for-song.ts'
import { closeAccount } from './handlers/close-account.ts'
import { creditPayment } from './handlers/credit-payment.ts'
import { openAccount } from './handlers/open-account.ts'
import { reinstatePayment } from './handlers/reinstate-payment.ts'
import { reversePayment } from './handlers/reverse-payment.ts'
import { settleGift } from './handlers/settle-gift.ts'
import { creditsInvariants } from './invariants.ts'
import { creditsMeasures } from './measures.ts'
import { accountRoute } from './routes/account.ts'
import { accountsRoute } from './routes/accounts.ts'
import { adjustRoute } from './routes/adjust.ts'
import { debtsRoute } from './routes/debts.ts'
import { entriesRoute } from './routes/entries.ts'
import { refundSongRoute } from './routes/refund-song.ts'
import { createLedger } from './store/ledger.ts'

export const creditsSchema: ServiceSchema = {
  name: 'credits',
  migrations: new URL('../migrations/', import.meta.url),
  appendOnly: ['journal', 'entry'],
}

/**
 * The double-entry ledger: what everybody has, owes and was charged, and the songs that wait for credits.
 * `startingCreditsCents` is what a new account is opened with, in hundredths.
 */
export function createCredits(deps: { db: Database; startingCreditsCents: number }): Service {
  const ledger = createLedger(deps.startingCreditsCents)
  const routeDeps = { db: deps.db, ledger }
  return {
    ...creditsSchema,
    routes: (app) => {
      accountRoute(app, routeDeps)
      accountsRoute(app, routeDeps)
      debtsRoute(app, routeDeps)
      entriesRoute(app, routeDeps)
      adjustRoute(app, routeDeps)
      refundSongRoute(app, routeDeps)
    },
    subscribers: [
      on(UserRegistered, openAccount(ledger)),
      on(SongRequested, chargeForSong(ledger)),
      on(SongFulfilled, settleGift(ledger)),
      on(PaymentSucceeded, creditPayment(ledger)),
      on(PaymentReversed, reversePayment(ledger)),
      on(PaymentReinstated, reinstatePayment(ledger)),
      on(AccountClosed, closeAccount(ledger)),
    ],
    invariants: creditsInvariants,
    measures: creditsMeasures(deps.db),
  }
}
