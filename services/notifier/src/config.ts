import {
  email,
  integer,
  isLoopback,
  oneOf,
  onOff,
  optional,
  productSettings,
  type Program,
  type readConfig,
  setting,
  termsSettings,
  text,
  trialValues,
  url,
} from '@prelude/platform'
import { createECDH } from 'node:crypto'
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
  alertRepeatMinutes: setting(
    'ALERT_REPEAT_MINUTES',
    'after which an alert that is still active is sent again',
    integer(1, 100_000),
    240,
  ),
  alertEverySeconds: setting(
    'ALERT_EVERY_SECONDS',
    'between two polls of the product',
    integer(1, 3_600),
    15,
  ),
}

/** A key of web push (RFC 8292): a point of P-256 or its scalar, base64url. */
const vapidKey =
  (which: 'public' | 'private') =>
  (value: string): string => {
    const form = which === 'public' ? /^B[\w-]{86}$/ : /^[\w-]{43}$/
    if (!form.test(value)) throw new Error(`must be the ${which} key of P-256, as base64url`)
    return value
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
  mailUrl: setting('MAIL_URL', 'mail server, smtp(s)://…', mailServer),
  mailFrom: optional('MAIL_FROM', 'sender of mails; BRAND_NAME <SUPPORT_EMAIL> if not given', text),
  ...productSettings,
  ...termsSettings,
  ...alertSettings,
  ...pushSettings,
  runsIn: optional('RUNS_IN', 'which commands alerts name', oneOf('containers', 'kubernetes')),
}

type Settings = ReturnType<typeof readConfig<typeof notifierSettings>>
type OfPushes = Pick<Settings, keyof typeof pushSettings>

/** Contradictions between settings of pushes, a sentence each. `publicUrl`: null for an address of this machine. */
export function pushContradictions(settings: OfPushes & { readonly publicUrl: string | null }): string[] {
  const { publicUrl, vapidPublicKey, vapidPrivateKey, pushLoopback } = settings
  const problems: string[] = []
  if (pushLoopback && publicUrl !== null && !isLoopback(publicUrl))
    problems.push('PUSH_LOOPBACK=on is refused unless PUBLIC_URL is on this machine')
  if ((vapidPublicKey === null) !== (vapidPrivateKey === null))
    problems.push('VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY go together')
  else if (vapidPrivateKey !== null && publicKeyOf(vapidPrivateKey) !== vapidPublicKey)
    problems.push('VAPID_PUBLIC_KEY is not that of VAPID_PRIVATE_KEY')
  return problems
}

function publicKeyOf(privateKey: string): string {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey, 'base64url')
  return pair.getPublicKey('base64url')
}

export const notifierProgram: Program<typeof notifierSettings> = {
  service: 'notifier',
  settings: notifierSettings,
  contradictions: (values) => [
    ...pushContradictions(values),
    ...(isLoopback(values.publicUrl) ? [] : trialValues(notifierSettings, values)),
  ],
  calls: ['songs', 'gateway', 'payments', 'credits', 'storage', 'notifier'],
}

/** From settings with these names, like the next two. */
export const senderOf = (settings: Pick<Settings, 'mailFrom' | 'brandName' | 'supportEmail'>): string =>
  settings.mailFrom ?? `${settings.brandName} <${settings.supportEmail}>`

/** Null: alerts are not mailed. */
export const alertAddressOf = (settings: Pick<Settings, 'operatorEmail' | 'alertEmail'>): string | null =>
  settings.alertEmail === 'off' ? null : (settings.alertEmail ?? settings.operatorEmail)

/** From settings with these names, of this service alone or of the whole product. */
export const alertsOf = (
  settings: Pick<Settings, 'operatorEmail' | keyof typeof alertSettings> & { readonly runsIn: RunsIn },
): AlertSettings => ({
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
export const pushesOf = (settings: OfPushes): PushSettings => {
  const { vapidPublicKey: publicKey, vapidPrivateKey: privateKey } = settings
  return {
    keys: publicKey === null || privateKey === null ? null : { publicKey, privateKey },
    loopback: settings.pushLoopback,
  }
}
