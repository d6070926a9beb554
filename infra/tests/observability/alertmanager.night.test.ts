import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { eventually } from '@prelude/platform/eventually'
import {
  findAlertmanager,
  findPrometheus,
  startAlertmanager,
  startPrometheus,
} from '../servers/prometheus.ts'
import { whyMissing } from '../support/with-server.ts'
import { startMailbox } from '../../stand-ins/mailbox/index.ts'
import { writeAlertmanager } from '../../observability/alertmanager.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const RULES = join(ROOT, 'infra/observability/prometheus/alerts.yml')
const ENV = {
  MAIL_URL: 'smtps://post%40prelude.test:p%2Fss@mail.example',
  MAIL_FROM: 'Prelude <post@prelude.test>',
  SUPPORT_EMAIL: 'support@prelude.test',
  OPERATOR_EMAIL: 'operator@prelude.test',
}

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'prelude-alertmanager-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** The settings that are written in a folder of their own. */
async function written(name: string, env: Record<string, string> = {}) {
  const folder = join(dir, name)
  await writeAlertmanager(folder, { ...ENV, ...env })
  const file = join(folder, 'alertmanager.yml')
  const settings = parse(await readFile(file, 'utf8')) as {
    global: Record<string, unknown>
    receivers: [{ email_configs: [{ to: string }] }]
  }
  return { folder, file, settings, to: settings.receivers[0].email_configs[0].to }
}

describe('the settings of Alertmanager', () => {
  test('name the mail server of the product; its password is in a file of its own', async () => {
    const { folder, file, settings, to } = await written('real')
    expect(settings.global).toEqual({
      smtp_smarthost: 'mail.example:465',
      smtp_from: ENV.MAIL_FROM,
      smtp_require_tls: false,
      smtp_auth_username: 'post@prelude.test',
      smtp_auth_password_file: join(folder, 'mail-password'),
    })
    expect(to).toBe(ENV.OPERATOR_EMAIL)
    expect(await readFile(join(folder, 'mail-password'), 'utf8')).toBe('p/ss')
    expect(await readFile(file, 'utf8')).not.toContain('p/ss')
    expect((await written('plain', { MAIL_URL: 'smtp://u:p@mail.example' })).settings.global).toMatchObject({
      smtp_smarthost: 'mail.example:587',
      smtp_require_tls: true,
    })
  })
})

const missing =
  (await whyMissing('Prometheus', findPrometheus)) ?? (await whyMissing('Alertmanager', findAlertmanager))

describe.skipIf(missing !== null)('a real Alertmanager', () => {
  test('accepts them, and mails the alerts that the product does not send itself', async () => {
    const routed = (file: string, ...labels: string[]): string =>
      execFileSync('amtool', ['config', 'routes', 'test', '--config.file', file, ...labels], {
        encoding: 'utf8',
      }).trim()
    const { file } = await written('beside-the-watch')
    expect(execFileSync('amtool', ['check-config', file], { encoding: 'utf8' })).toContain('SUCCESS')
    expect(routed(file, 'alertname=PreludePublicErrors')).toBe('operator')
    expect(routed(file, 'alertname=PreludeDeadLetters', 'service=credits', 'watch=product')).toBe('none')
    expect(routed(file, 'alertname=PreludeServiceDown', 'service=notifier', 'watch=product')).toBe('operator')
    const alone = await written('alone', { ALERT_EMAIL: 'off' })
    expect(alone.to).toBe(ENV.OPERATOR_EMAIL)
    expect(routed(alone.file, 'alertname=PreludeDeadLetters', 'watch=product')).toBe('operator')
    for (const settings of [file, alone.file])
      expect(routed(settings, 'alertname=PreludeWatchdog', 'severity=none')).toBe('watchdog')
  })

  test('mails the alerts of a real Prometheus, and that they are resolved; the watchdog is posted', async () => {
    const posted: string[] = []
    await using outside = await serverOf((body) => {
      posted.push(body)
      return ''
    })
    const late = { value: 2_000 }
    await using service = await serverOf(
      () =>
        `prelude_live_feed_lag{service="gateway"} ${late.value}\nprelude_mails_failed{service="notifier"} 1\n`,
    )
    const mailbox = await startMailbox({ host: '127.0.0.1', smtpPort: 0, httpPort: 0 })
    const { file } = await written('running', {
      MAIL_URL: mailbox.smtpUrl,
      WATCHDOG_URL: `http://${outside.address}/`,
    })
    const quick = (await readFile(file, 'utf8')).replace('"30s"', '"1s"').replace('"1m"', '"2s"')
    await writeFile(file, quick)
    const alertmanager = await startAlertmanager({ dir: join(dir, 'alertmanager'), config: file })
    // Prometheus repeats what fires from its start only after a minute
    const watchdog = ['alert', 'add', 'PreludeWatchdog', 'severity=none']
    execFileSync('amtool', [...watchdog, `--alertmanager.url=${alertmanager.url}`])
    const prometheus = await startPrometheus({
      dir: join(dir, 'prometheus'),
      config: await looksAt(service.address, alertmanager.url),
    })
    const mails = async () => {
      const answer = await fetch(`${mailbox.url}/api/messages?to=${ENV.OPERATOR_EMAIL}`)
      return JSON.stringify(await answer.json())
    }
    try {
      await eventually(async () => expect(await mails()).toContain('LiveFeedBehind'))
      late.value = 0
      await eventually(async () => expect(await mails()).toContain('resolved: PreludeLiveFeedBehind'))
      const all = await mails()
      expect(all).toContain('docs/operations/alerts.md#preludelivefeedbehind')
      expect(all).not.toContain('PreludeMailsFailed')
      expect(all).not.toContain('PreludeWatchdog')
      expect(posted.join('\n')).toContain('"alertname":"PreludeWatchdog"')
    } finally {
      await Promise.all([prometheus.stop(), alertmanager.stop()])
      await mailbox.stop()
    }
  })

  /** The rules without their waiting times. */
  async function looksAt(target: string, alertmanager: string): Promise<string> {
    const rules = join(dir, 'quick.yml')
    await writeFile(rules, (await readFile(RULES, 'utf8')).replaceAll(/for: \d+m/g, 'for: 0s'))
    const config = join(dir, 'prometheus.yml')
    await writeFile(
      config,
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [rules],
        alerting: { alertmanagers: [{ static_configs: [{ targets: [new URL(alertmanager).host] }] }] },
        scrape_configs: [{ job_name: 'prelude', static_configs: [{ targets: [target] }] }],
      }),
    )
    return config
  }
})

/** A server of this machine, which answers with what `answer` makes of a request's body. */
async function serverOf(answer: (body: string) => string) {
  const server = createServer((request, response) => {
    void textOf(request).then((body) => response.setHeader('content-type', 'text/plain').end(answer(body)))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
