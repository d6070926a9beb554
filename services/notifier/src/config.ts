import {
  email,
  integer,
  oneOf,
  onOff,
  optional,
  productSettings,
  type Program,
  termsSettings,
  text,
  url,
  vapidKey,
} from '@prelude/platform'
import type { AlertSettings } from './alert-receivers.ts'
import type { MailBranding } from './domain/mail.ts'
import type { RunsIn } from './domain/operator-command.ts'
import type { VapidKeys } from './store/push.ts'

/** Of this service, and of the product in one process. */
export const alertSettings = {
  alertEmail: optional(
    'ALERT_EMAIL',
    'where alerts are mailed; OPERATOR_EMAIL if not given, off for nowhere',
    (value: string) => (value === 'off' ? value : email(value)),
  ),
  alertWebhookUrl: optional('ALERT_WEBHOOK_URL', 'where alerts are posted as JSON', url),
  alertRepeatMinutes: {
    env: 'ALERT_REPEAT_MINUTES',
    means: 'after which an alert that is still active is sent again',
    parse: integer(1, 100_000),
    fallback: 240,
  },
  alertEverySeconds: {
    env: 'ALERT_EVERY_SECONDS',
    means: 'between two polls of the product',
    parse: integer(1, 3_600),
    fallback: 15,
  },
}

/** Of this service, and of the product in one process. */
export const pushSettings = {
  vapidPublicKey: optional(
    'VAPID_PUBLIC_KEY',
    'public key for web push; a pair is made at first start when not given',
    vapidKey('public'),
  ),
  vapidPrivateKey: optional('VAPID_PRIVATE_KEY', 'its private key', vapidKey('private')),
  pushLoopback: {
    env: 'PUSH_LOOPBACK',
    means: 'on for tests only: push services on this machine',
    ...onOff,
    fallback: false,
  },
}

const mailServer = (value: string): string => {
  if (!/^smtps?:/.test(url(value))) throw new Error('must be smtp://… or smtps://…')
  return value
}

export const notifierSettings = {
  mailUrl: { env: 'MAIL_URL', means: 'mail server, smtp(s)://…', parse: mailServer },
  mailFrom: optional('MAIL_FROM', 'sender of mails; BRAND_NAME <SUPPORT_EMAIL> if not given', text),
  ...productSettings,
  changesIncluded: termsSettings.changesIncluded,
  changesDays: termsSettings.changesDays,
  ...alertSettings,
  ...pushSettings,
  runsIn: optional('RUNS_IN', 'which commands alerts name', oneOf('containers', 'kubernetes')),
}

export const notifierProgram: Program<typeof notifierSettings> = {
  service: 'notifier',
  settings: notifierSettings,
  calls: ['songs', 'gateway', 'payments', 'credits', 'storage', 'notifier'],
}

/** From settings with these names, like the next two. */
export const senderOf = (settings: {
  readonly mailFrom: string | null
  readonly brandName: string
  readonly supportEmail: string
}): string => settings.mailFrom ?? `${settings.brandName} <${settings.supportEmail}>`

/** Null: alerts are not mailed. */
export const alertAddressOf = (settings: {
  readonly operatorEmail: string
  readonly alertEmail: string | null
}): string | null => (settings.alertEmail === 'off' ? null : (settings.alertEmail ?? settings.operatorEmail))

/** From settings with these names, of this service alone or of the whole product. */
export const alertsOf = (settings: {
  readonly operatorEmail: string
  readonly alertEmail: string | null
  readonly alertWebhookUrl: string | null
  readonly alertRepeatMinutes: number
  readonly alertEverySeconds: number
  readonly runsIn: RunsIn
}): AlertSettings => ({
  email: alertAddressOf(settings),
  webhookUrl: settings.alertWebhookUrl,
  everyMs: settings.alertEverySeconds * 1_000,
  repeatMs: settings.alertRepeatMinutes * 60_000,
  runsIn: settings.runsIn,
})

interface PushSettings {
  /** Null: they are made, and kept in the database. */
  readonly keys: VapidKeys | null
  /** Push services on this machine may be called. */
  readonly loopback: boolean
}

export interface NotifierConfig extends MailBranding {
  /** Who receives alerts; nobody if not given. */
  readonly alerts?: AlertSettings
  readonly pushes?: PushSettings
}

export const DEFAULT_PUSHES: PushSettings = { keys: null, loopback: false }

/** From settings with these names, of this service alone or of the whole product. */
export const pushesOf = (settings: {
  readonly vapidPublicKey: string | null
  readonly vapidPrivateKey: string | null
  readonly pushLoopback: boolean
}): PushSettings => {
  const { vapidPublicKey: publicKey, vapidPrivateKey: privateKey } = settings
  return {
    keys: publicKey === null || privateKey === null ? null : { publicKey, privateKey },
    loopback: settings.pushLoopback,
  }
}
