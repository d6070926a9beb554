import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { alertSettings, alertsOf } from '@prelude/notifier'
import { email, readConfig, text, url } from '@prelude/platform'

/**
 * `node infra/observability/alertmanager.ts FOLDER` writes the settings of an Alertmanager that mails by the server that the
 * product mails by, and that server's password as a file beside them.
 */

export interface Delivery {
  /** smtp(s)://user:password@host:port, as the product is given it. */
  readonly mailUrl: string
  readonly mailFrom: string
  readonly to: string
  readonly repeatMs: number
  /** Also what the product's own watch tells. */
  readonly all: boolean
  /** Where Alertmanager finds the password. */
  readonly passwordFile: string
}

const namesOf = (alerts: string): string => `{{ range ${alerts} }}{{ .Labels.alertname }} {{ end }}`
const SUBJECT = `Prelude: ${namesOf('.Alerts.Firing')}{{ if .Alerts.Resolved }}over: ${namesOf('.Alerts.Resolved')}{{ end }}`
const TEXT = `{{ range .Alerts }}{{ .Status }} {{ .Labels.alertname }} ({{ .Labels.severity }}): {{ .Annotations.summary }}
  since {{ .StartsAt.UTC.Format "2006-01-02 15:04" }} UTC; what to do: {{ .Annotations.runbook }}
{{ end }}`

/** Rules marked `watch: product` are told by the product itself, unless it is what tells that is down. */
const TOLD_BY_THE_PRODUCT = [
  { matchers: ['alertname="PreludePartDown"', 'part="notifier"'], receiver: 'operator' },
  { matchers: ['watch="product"'], receiver: 'nobody' },
]

export function alertmanagerOf({ mailUrl, mailFrom, to, repeatMs, all, passwordFile }: Delivery): object {
  const { protocol, hostname, port, username } = new URL(mailUrl)
  const isTls = protocol === 'smtps:'
  return {
    global: {
      smtp_smarthost: `${hostname}:${port || (isTls ? 465 : 587)}`,
      smtp_from: mailFrom,
      // a password never leaves without TLS; at port 465 there is TLS from the start
      smtp_require_tls: username !== '' && !isTls,
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
      routes: all ? [] : TOLD_BY_THE_PRODUCT,
    },
    inhibit_rules: [
      {
        source_matchers: ['alertname="PreludePartDown"'],
        target_matchers: ['alertname="PreludeInstanceDown"'],
        equal: ['part'],
      },
    ],
    receivers: [
      {
        name: 'operator',
        email_configs: [{ to, send_resolved: true, headers: { Subject: SUBJECT }, html: '', text: TEXT }],
      },
      { name: 'nobody' },
    ],
  }
}

const SETTINGS = {
  mailUrl: { env: 'MAIL_URL', means: 'mail server, smtp(s)://…', parse: url },
  mailFrom: { env: 'MAIL_FROM', means: 'sender of mails', parse: text },
  operatorEmail: {
    env: 'OPERATOR_EMAIL',
    means: 'where alerts go if ALERT_EMAIL does not say',
    parse: email,
  },
  ...alertSettings,
}

/** Where the product mails no alerts (`ALERT_EMAIL=off`), all of them go to the operator. */
export async function writeAlertmanager(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const settings = readConfig(SETTINGS, env)
  const { email: to, repeatMs } = alertsOf(settings)
  const { mailUrl, mailFrom, operatorEmail } = settings
  const passwordFile = join(folder, 'mail-password')
  const told = { to: to ?? operatorEmail, all: to === null, repeatMs }
  await mkdir(folder, { recursive: true })
  await writeFile(passwordFile, decodeURIComponent(new URL(mailUrl).password))
  const config = alertmanagerOf({ mailUrl, mailFrom, passwordFile, ...told })
  await writeFile(join(folder, 'alertmanager.yml'), JSON.stringify(config, null, 2)) // which is YAML
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('Say the folder where the settings go.')
  await writeAlertmanager(folder, process.env)
}
