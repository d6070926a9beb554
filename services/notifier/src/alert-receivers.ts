import { ALERTS } from '@prelude/contracts'
import { newId } from '@prelude/platform'
import { type Block, factTable, layOut, link, type MailBranding, paragraph } from './domain/mail.ts'
import { commandFor, type RunsIn } from './domain/operator-command.ts'
import type { News } from './domain/watch.ts'
import type { Mailer } from './mail/port.ts'

const WEBHOOK_TIMEOUT_MS = 10_000

/** Where alerts go. */
export interface AlertSettings {
  /** Null: no mails about alerts. */
  readonly email: string | null
  readonly webhookUrl: string | null
  /** Between two rounds of checks. */
  readonly everyMs: number
  /** After which alerts that are still active are repeated. */
  readonly repeatMs: number
  readonly runsIn: RunsIn
}

/** No receivers: alerts are shown at /ops alone. */
export const NO_RECEIVERS: AlertSettings = {
  email: null,
  webhookUrl: null,
  everyMs: 15_000,
  repeatMs: 4 * 60 * 60_000,
  runsIn: null,
}

export interface Receiver {
  readonly name: string
  /** Resolves when the receiver has accepted it. */
  readonly notify: (news: News) => Promise<void>
}

export function alertReceivers(
  { email, webhookUrl, runsIn }: AlertSettings,
  { mailer, branding }: { mailer: Mailer; branding: MailBranding },
): Receiver[] {
  return [
    ...(email === null ? [] : [{ name: 'mail', notify: byMail(mailer, { to: email, runsIn }, branding) }]),
    ...(webhookUrl === null ? [] : [{ name: 'webhook', notify: byWebhook(webhookUrl, runsIn, branding) }]),
  ]
}

const byMail =
  (
    mailer: Mailer,
    { to, runsIn }: { to: string; runsIn: RunsIn },
    branding: MailBranding,
  ): Receiver['notify'] =>
  async (news) => {
    const messageId = `<alert-${newId()}@${new URL(branding.publicUrl).hostname}>`
    await mailer.send({ messageId, to, ...layOut({ to, ...mailOf(news, runsIn, branding) }, branding) })
  }

/** One mail for all news of a round. */
function mailOf(news: News, runsIn: RunsIn, branding: MailBranding): { subject: string; blocks: Block[] } {
  return {
    subject: `${branding.brandName}: ${headline(news)}`,
    blocks: [
      ...linesUnder('New', news.firing),
      ...linesUnder('Still so', news.lasting),
      ...linesUnder('Over', news.resolved),
      ...advice(news, runsIn).map(paragraph),
      paragraph('More under the name of each alert in docs/operations/alerts.md.'),
      link('Open operations', '/ops', branding),
    ],
  }
}

type Line = News['firing'][number] | News['resolved'][number]

const sentence = ({ service, detail, since }: Line): string =>
  `${service === null ? '' : `${service}: `}${detail} (since ${new Date(since).toISOString()})`

const linesUnder = (label: string, lines: readonly Line[]): Block[] =>
  lines.length === 0
    ? []
    : [paragraph(`${label}:`), factTable(...lines.map((line) => [line.name, sentence(line)] as const))]

/** What to do about each active alert, as at /ops, with the command of this installation. */
const advice = ({ firing, lasting }: News, runsIn: RunsIn): string[] => [
  ...new Set(
    [...firing, ...lasting].map((alert) => {
      const { what, toDo } = ALERTS[alert.name]
      return [`${alert.name}: ${what} ${toDo}`, commandFor(alert, runsIn) ?? []].flat().join(' ')
    }),
  ),
]

const namesOf = (lines: readonly Line[]): string => [...new Set(lines.map(({ name }) => name))].join(', ')

function headline({ firing, lasting, resolved }: News): string {
  if (firing.length > 0) return namesOf(firing)
  return resolved.length > 0 && lasting.length === 0
    ? `over: ${namesOf(resolved)}`
    : `still ${namesOf(lasting)}`
}

/** JSON by POST; `text` alone is enough for the incoming webhooks of chat programs. */
const byWebhook =
  (url: string, runsIn: RunsIn, branding: MailBranding): Receiver['notify'] =>
  async (news) => {
    const rows = [
      ...news.firing.map((line) => ({ status: 'firing', line })),
      ...news.lasting.map((line) => ({ status: 'firing', line })),
      ...news.resolved.map((line) => ({ status: 'resolved', line })),
    ]
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        text: [
          `${branding.brandName}: ${headline(news)}`,
          ...rows.map(({ status, line }) => `${status} ${line.name} ${sentence(line)}`),
          ...advice(news, runsIn),
        ].join('\n'),
        url: new URL('/ops', branding.publicUrl).href,
        alerts: rows.map(({ status, line: { name, service, detail, since } }) => ({
          status,
          name,
          service,
          detail,
          since,
        })),
      }),
      signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
    })
    await answer.body?.cancel()
    // the address may hold a secret, so no error names it
    if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`)
  }
