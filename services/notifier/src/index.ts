import { AccountClosed, noticesApi, notifierApi, preferencesApi, pushApi } from '@prelude/contracts'
import {
  type Clock,
  type Database,
  type Logger,
  measured,
  on,
  route,
  type Service,
  type ServiceSchema,
  type Subscriber,
  type ServiceCall,
} from '@prelude/platform'
import { alertReceivers, NO_RECEIVERS } from './alert-receivers.ts'
import { ownersBehind } from './compose-mail.ts'
import { DEFAULT_PUSHES, type NotifierConfig } from './config.ts'
import { announceRequests } from './handlers/announce-requests.ts'
import { erasePerson, eraseRest } from './handlers/erase-person.ts'
import { informPeople } from './handlers/inform-people.ts'
import { queueDigests } from './jobs/queue-digests.ts'
import { sendDueMessages } from './jobs/send-due-messages.ts'
import { sendDuePushes } from './jobs/send-due-pushes.ts'
import { watchProduct } from './jobs/watch-product.ts'
import { mailMeasures } from './measures.ts'
import { pushSender } from './push-sender.ts'
import { vapidKeys } from './vapid-keys.ts'
import { changePreferences } from './routes/change-preferences.ts'
import { getPreferences } from './routes/get-preferences.ts'
import { getPushKey } from './routes/get-push-key.ts'
import { noteBrowser } from './routes/note-browser.ts'
import { listAlerts } from './routes/list-alerts.ts'
import { listMessages } from './routes/list-messages.ts'
import { listNotices } from './routes/list-notices.ts'
import { listPushSubscriptions, subscribe, unsubscribe } from './routes/push-subscriptions.ts'
import { readNotices } from './routes/read-notices.ts'
import { resendMessage } from './routes/resend-message.ts'
import { sentMarker } from './store/message.ts'
import type { Mailer } from './mail/port.ts'

export type { Mailer } from './mail/port.ts'
export { needsStartTls, smtpMailer } from './mail/smtp-mailer.ts'
export {
  alertAddressOf,
  alertSettings,
  alertsOf,
  notifierProgram,
  notifierSettings,
  pushContradictions,
  pushesOf,
  pushSettings,
  senderOf,
} from './config.ts'

export const notifierSchema: ServiceSchema = {
  name: 'notifier',
  migrations: new URL('../migrations/', import.meta.url),
}

export const notifierSubscribers = (clock: Clock): readonly Subscriber[] => [
  ...announceRequests(clock),
  ...informPeople(clock),
  on(AccountClosed, erasePerson(clock)),
]

/**
 * Keeps notices, and sends mails, pushes and alerts. Handlers only queue a mail; a job reads texts and addresses from their
 * services and sends it, so that a mail server that does not answer delays no event.
 *
 * `instance` names this process, and a later one in its place: when it starts, it takes over what the process before held.
 * So at most one process may run under a name at any time.
 */
export function createNotifier(deps: {
  db: Database
  clock: Clock
  instance: string
  calls: ServiceCall
  mailer: Mailer
  logger: Logger
  config: NotifierConfig
}): Service {
  const { db, clock, instance, calls, logger } = deps
  const { alerts: settings = NO_RECEIVERS, pushes = DEFAULT_PUSHES, ...branding } = deps.config
  const measures = mailMeasures(db, clock, branding.publicUrl)
  const mailer = measured(measures.calls, 'mail', deps.mailer, ['send'])
  const receivers = alertReceivers(settings, { mailer, branding })
  const keys = vapidKeys(db, pushes.keys)
  const watch = watchProduct({ db, clock, instance, calls, logger, settings, receivers })
  return {
    ...notifierSchema,
    routes: (app) => {
      route(app, notifierApi.list, listMessages(db))
      route(app, notifierApi.resend, resendMessage(db, clock))
      route(app, notifierApi.alerts, listAlerts(watch))
      route(app, noticesApi.list, listNotices(db))
      route(app, noticesApi.read, readNotices(db, clock))
      route(app, preferencesApi.get, getPreferences(db))
      route(app, preferencesApi.change, changePreferences(db))
      route(app, preferencesApi.note, noteBrowser(db))
      route(app, pushApi.key, getPushKey(keys))
      route(app, pushApi.subscribe, subscribe(db, clock, pushes))
      route(app, pushApi.list, listPushSubscriptions(db))
      route(app, pushApi.unsubscribe, unsubscribe(db))
    },
    subscribers: notifierSubscribers(clock),
    jobs: [
      sendDueMessages({
        db,
        clock,
        instance,
        owners: ownersBehind(calls),
        mailer,
        logger,
        branding,
        markSent: sentMarker(db, clock),
        tried: measures.tried,
      }),
      queueDigests(db, clock),
      eraseRest(db),
      sendDuePushes({
        db,
        clock,
        instance,
        logger,
        keys,
        send: pushSender({ ...pushes, contact: `mailto:${branding.supportEmail}` }),
        publicUrl: branding.publicUrl,
        pushed: measures.pushed,
      }),
      watch.job,
    ],
    measures,
  }
}
