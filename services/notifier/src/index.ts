import {
  AccountClosed,
  CreditsCharged,
  CreditsRefunded,
  DebtChanged,
  notifierApi,
  PaymentSucceeded,
  PaymentSuspicious,
  SongFulfilled,
  SongRequested,
  TransferOpened,
  TransferSettled,
} from '@prelude/contracts'
import {
  type Database,
  type Logger,
  type Mailer,
  measured,
  on,
  route,
  type Service,
  type ServiceSchema,
  type ServiceCall,
} from '@prelude/platform'
import { alertReceivers, type AlertSettings } from './alert-receivers.ts'
import { ownersBehind } from './compose-letter.ts'
import type { House } from './domain/letter.ts'
import { announceRequest } from './handlers/announce-request.ts'
import { announceTransfer } from './handlers/announce-transfer.ts'
import { forgetPerson } from './handlers/forget-person.ts'
import { sendReceipt } from './handlers/send-receipt.ts'
import { tellCreditsBack } from './handlers/tell-credits-back.ts'
import { tellSongCooking } from './handlers/tell-song-cooking.ts'
import { tellSongReady } from './handlers/tell-song-ready.ts'
import { tellTransferSettled } from './handlers/tell-transfer-settled.ts'
import { warnOfDebt } from './handlers/warn-of-debt.ts'
import { warnOfPayment } from './handlers/warn-of-payment.ts'
import { mailMeasures } from './measures.ts'
import { listMessages } from './routes/list-messages.ts'
import { resendMessage } from './routes/resend-message.ts'
import { sendDueMessages } from './send-due-messages.ts'
import { sentMarker } from './store/message.ts'
import { watchProduct } from './watch-product.ts'

export { alertSettings, alertsOf } from './config.ts'

export const notifierSchema: ServiceSchema = {
  name: 'notifier',
  migrations: new URL('../migrations/', import.meta.url),
}

/**
 * Writes to people. Handlers only note that a mail is due; a job asks the owners for texts and addresses and sends it,
 * so that a mail server that is down holds up nothing else.
 */
export function createNotifier(deps: {
  db: Database
  calls: ServiceCall
  mailer: Mailer
  logger: Logger
  config: House
  alerts?: AlertSettings
}): Service {
  const { db, calls, logger, config } = deps
  const measures = mailMeasures(db)
  const mailer = measured(measures.calls, 'mail', deps.mailer, ['send'])
  const settings = deps.alerts ?? NOBODY
  const receivers = alertReceivers(settings, { mailer, house: config })
  const watch = watchProduct({ db, calls, logger, settings, receivers })
  return {
    ...notifierSchema,
    routes: (app) => {
      route(app, notifierApi.list, listMessages(db))
      route(app, notifierApi.resend, resendMessage(db))
      route(app, notifierApi.alerts, async () => ({ items: await watch.alerts() }))
    },
    subscribers: [
      on(SongRequested, announceRequest),
      on(SongFulfilled, tellSongReady),
      on(CreditsCharged, tellSongCooking),
      on(CreditsRefunded, tellCreditsBack),
      on(DebtChanged, warnOfDebt),
      on(PaymentSucceeded, sendReceipt),
      on(PaymentSuspicious, warnOfPayment),
      on(TransferOpened, announceTransfer),
      on(TransferSettled, tellTransferSettled),
      on(AccountClosed, forgetPerson),
    ],
    jobs: [
      sendDueMessages({
        db,
        owners: ownersBehind(calls),
        mailer,
        logger,
        house: config,
        markSent: sentMarker(db),
        tried: measures.tried,
      }),
      watch.job,
    ],
    measures,
  }
}

/** Alerts are seen at /ops alone. */
const NOBODY: AlertSettings = {
  email: null,
  webhookUrl: null,
  everyMs: 15_000,
  repeatMs: 4 * 60 * 60_000,
}
