import { type Mailer, newId } from '@prelude/platform'
import { type Block, type MailBranding, layOut } from './domain/mail.ts'
import type { News } from './domain/watch.ts'

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
}

/** No receivers: alerts are shown at /ops alone. */
export const NO_RECEIVERS: AlertSettings = {
  email: null,
  webhookUrl: null,
  everyMs: 15_000,
  repeatMs: 4 * 60 * 60_000,
}

export interface Receiver {
  readonly name: string
  /** Resolves when the receiver has accepted it. */
  readonly notify: (news: News) => Promise<void>
}

export function alertReceivers(
  { email, webhookUrl }: AlertSettings,
  { mailer, branding }: { mailer: Mailer; branding: MailBranding },
): Receiver[] {
  return [
    ...(email === null ? [] : [{ name: 'mail', notify: byMail(mailer, email, branding) }]),
    ...(webhookUrl === null ? [] : [{ name: 'webhook', notify: byWebhook(webhookUrl, branding) }]),
  ]
}

const byMail =
  (mailer: Mailer, to: string, branding: MailBranding): Receiver['notify'] =>
  async (news) => {
    const messageId = `<alert-${newId()}@${new URL(branding.publicUrl).hostname}>`
    await mailer.send({ messageId, to, ...layOut({ to, ...mailOf(news, branding) }, branding) })
  }

/** One mail for all news of a round. */
function mailOf(news: News, branding: MailBranding): { subject: string; blocks: Block[] } {
  return {
    subject: `${branding.brandName}: ${headline(news)}`,
    blocks: [
      ...paragraph('New', news.firing),
      ...paragraph('Still so', news.lasting),
      ...paragraph('Over', news.resolved),
      {
        kind: 'text',
        text: 'What to do stands under the name of each alert in docs/operations/alerts.md.',
      },
      { kind: 'link', label: 'Open operations', url: new URL('/ops', branding.publicUrl).href },
    ],
  }
}

type Line = News['firing'][number] | News['resolved'][number]

const sentence = ({ service, detail, since }: Line): string =>
  `${service === null ? '' : `${service}: `}${detail} (since ${new Date(since).toISOString()})`

const paragraph = (label: string, lines: readonly Line[]): Block[] =>
  lines.length === 0
    ? []
    : [
        { kind: 'text', text: `${label}:` },
        { kind: 'facts', facts: lines.map((line) => [line.name, sentence(line)] as const) },
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
  (url: string, branding: MailBranding): Receiver['notify'] =>
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
