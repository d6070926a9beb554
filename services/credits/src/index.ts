import {
  AccountClosed,
  creditsApi,
  PaymentReinstated,
  PaymentReversed,
  PaymentSucceeded,
  SongClosed,
  SongFulfilled,
  SongRequested,
  SongStarted,
  UserRegistered,
} from '@prelude/contracts'
import {
  type Clock,
  type Database,
  on,
  onMany,
  route,
  type Service,
  type ServiceSchema,
  type Subscriber,
} from '@prelude/platform'
import { chargeForSongs } from './handlers/charge-for-songs.ts'
import { closeAccount } from './handlers/close-account.ts'
import { creditPayment } from './handlers/credit-payment.ts'
import { openAccount } from './handlers/open-account.ts'
import { reinstatePayment } from './handlers/reinstate-payment.ts'
import { reversePayment } from './handlers/reverse-payment.ts'
import { settleClosed, settleGift } from './handlers/settle-unpaid.ts'
import { creditsInvariants } from './invariants.ts'
import { creditsMeasures } from './measures.ts'
import { adjustCredits } from './routes/adjust-credits.ts'
import { getAccount } from './routes/get-account.ts'
import { getAccounts } from './routes/get-accounts.ts'
import { listDebts } from './routes/list-debts.ts'
import { listEntries } from './routes/list-entries.ts'
import { createLedger } from './store/ledger.ts'

export { creditsProgram, creditsSettings } from './config.ts'
export { creditsInvariants } from './invariants.ts'

export const creditsSchema: ServiceSchema = {
  name: 'credits',
  migrations: new URL('../migrations/', import.meta.url),
  appendOnly: ['journal', 'entry'],
}

export interface CreditsConfig {
  /** What a new account is opened with, in hundredths. */
  readonly startingCreditsCents: number
}

export function creditsSubscribers(clock: Clock, config: CreditsConfig): readonly Subscriber[] {
  const ledger = createLedger(config.startingCreditsCents, clock)
  return [
    on(UserRegistered, openAccount(ledger)),
    onMany(SongRequested, chargeForSongs(ledger)),
    on(SongStarted, settleGift(ledger)),
    on(SongFulfilled, settleGift(ledger)),
    on(SongClosed, settleClosed(ledger)),
    on(PaymentSucceeded, creditPayment(ledger)),
    on(PaymentReversed, reversePayment(ledger)),
    on(PaymentReinstated, reinstatePayment(ledger)),
    on(AccountClosed, closeAccount(ledger)),
  ]
}

/** The double-entry ledger: each person's balance, debts and charges, and the songs that wait for credits. */
export function createCredits(deps: { db: Database; clock: Clock; config: CreditsConfig }): Service {
  const { db, clock, config } = deps
  const ledger = createLedger(config.startingCreditsCents, clock)
  return {
    ...creditsSchema,
    routes: (app) => {
      route(app, creditsApi.account, getAccount(db, ledger))
      route(app, creditsApi.accounts, getAccounts(db))
      route(app, creditsApi.debts, listDebts(db))
      route(app, creditsApi.entries, listEntries(db, ledger))
      route(app, creditsApi.adjust, adjustCredits(db, ledger))
    },
    subscribers: creditsSubscribers(clock, config),
    invariants: creditsInvariants,
    measures: creditsMeasures(db),
  }
}
