import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { alertAddressOf, alertSettings, notifierSettings, senderOf, needsStartTls } from '@prelude/notifier'
import { optional, readConfig, url } from '@prelude/platform'

/**
 * `node infra/observability/alertmanager.ts FOLDER` writes the configuration of an Alertmanager that sends mails through the
 * product's mail server, and that server's password as a file beside it.
 */

interface Delivery {
  /** smtp(s)://user:password@host:port, the product's own setting. */
  readonly mailUrl: string
  readonly mailFrom: string
  readonly to: string
  readonly repeatMs: number
  /** Also mail the alerts that the product's own watch sends. */
  readonly all: boolean
  /** Path of the password file, as Alertmanager sees it. */
  readonly passwordFile: string
  /** Gets the alert that always fires. */
  readonly watchdogUrl: string | null
}

const namesOf = (alerts: string): string => `{{ range ${alerts} }}{{ .Labels.alertname }} {{ end }}`
const SUBJECT = `Prelude: ${namesOf('.Alerts.Firing')}{{ if .Alerts.Resolved }}resolved: ${namesOf('.Alerts.Resolved')}{{ end }}`
const TEXT = `{{ range .Alerts }}{{ .Status }} {{ .Labels.alertname }} ({{ .Labels.severity }}): {{ .Annotations.summary }}
  since {{ .StartsAt.UTC.Format "2006-01-02 15:04" }} UTC; runbook: {{ .Annotations.runbook }}
{{ end }}`

/** Posted all the time: an outside service reports when nothing comes. */
export const WATCHDOG = {
  matchers: ['alertname="PreludeWatchdog"'],
  receiver: 'watchdog',
  group_wait: '0s',
  group_interval: '1m',
  repeat_interval: '5m',
}

/** The product itself sends alerts marked `watch: product`, except that its notifier is down. */
export const SENT_BY_THE_PRODUCT = [
  { matchers: ['alertname="PreludeServiceDown"', 'service="notifier"'], receiver: 'operator' },
  { matchers: ['watch="product"'], receiver: 'none' },
]

function alertmanagerOf(delivery: Delivery): object {
  const { mailUrl, mailFrom, to, repeatMs, all, passwordFile, watchdogUrl } = delivery
  const { protocol, hostname, port, username } = new URL(mailUrl)
  const isTls = protocol === 'smtps:'
  return {
    global: {
      smtp_smarthost: `${hostname}:${port || (isTls ? 465 : 587)}`,
      smtp_from: mailFrom,
      // at port 465 there is TLS from the start; a password never leaves without it
      smtp_require_tls: !isTls && (username !== '' || needsStartTls(mailUrl)),
      ...(username !== '' && {
        smtp_auth_username: decodeURIComponent(username),
        smtp_auth_password_file: passwordFile,
      }),
    },
    route: {
      receiver: 'operator',
      group_by: ['severity'],
      group_wait: '30s',
      group_interval: '1m',
      repeat_interval: `${repeatMs / 60_000}m`,
      routes: [WATCHDOG, ...(all ? [] : SENT_BY_THE_PRODUCT)],
    },
    inhibit_rules: [
      {
        source_matchers: ['alertname="PreludeServiceDown"'],
        target_matchers: ['alertname="PreludeInstanceDown"'],
        equal: ['service'],
      },
    ],
    receivers: [
      {
        name: 'operator',
        email_configs: [{ to, send_resolved: true, headers: { Subject: SUBJECT }, html: '', text: TEXT }],
      },
      {
        name: 'watchdog',
        ...(watchdogUrl !== null && { webhook_configs: [{ url: watchdogUrl, send_resolved: false }] }),
      },
      { name: 'none' },
    ],
  }
}

export const alertmanagerSettings = {
  mailUrl: notifierSettings.mailUrl,
  mailFrom: notifierSettings.mailFrom,
  brandName: notifierSettings.brandName,
  supportEmail: notifierSettings.supportEmail,
  operatorEmail: notifierSettings.operatorEmail,
  watchdogUrl: optional('WATCHDOG_URL', 'what gets the alert that always fires', url),
  alertEmail: alertSettings.alertEmail,
  alertRepeatMinutes: alertSettings.alertRepeatMinutes,
}

/** With `ALERT_EMAIL=off` the product mails no alerts, and Alertmanager mails all of them to the operator. */
export async function writeAlertmanager(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const settings = readConfig(alertmanagerSettings, env)
  const { mailUrl, operatorEmail, watchdogUrl, alertRepeatMinutes } = settings
  const to = alertAddressOf(settings)
  const passwordFile = join(folder, 'mail-password')
  const delivery = { to: to ?? operatorEmail, all: to === null, repeatMs: alertRepeatMinutes * 60_000 }
  await mkdir(folder, { recursive: true })
  await writeFile(passwordFile, decodeURIComponent(new URL(mailUrl).password))
  const config = alertmanagerOf({
    mailUrl,
    mailFrom: senderOf(settings),
    passwordFile,
    watchdogUrl,
    ...delivery,
  })
  await writeFile(join(folder, 'alertmanager.yml'), JSON.stringify(config, null, 2)) // which is YAML
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('Usage: node infra/observability/alertmanager.ts FOLDER')
  await writeAlertmanager(folder, process.env)
}
