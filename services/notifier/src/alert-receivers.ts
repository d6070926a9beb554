import type { Mailer } from '@prelude/platform'
import { newId } from '@prelude/platform'
import { type Block, type House, layOut } from './domain/letter.ts'
import type { News } from './domain/watch.ts'

const WEBHOOK_WITHIN_MS = 10_000

/** Where alerts go. */
export interface AlertSettings {
  /** Null: no mails about alerts. */
  readonly email: string | null
  readonly webhookUrl: string | null
  /** Between two looks at the product. */
  readonly everyMs: number
  /** After which what still stands is said again. */
  readonly repeatMs: number
}

export interface Receiver {
  readonly name: string
  /** Resolves when the news was taken. */
  readonly tell: (news: News) => Promise<void>
}

export function alertReceivers(
  { email, webhookUrl }: AlertSettings,
  { mailer, house }: { mailer: Mailer; house: House },
): Receiver[] {
  return [
    ...(email === null ? [] : [{ name: 'mail', tell: byMail(mailer, email, house) }]),
    ...(webhookUrl === null ? [] : [{ name: 'webhook', tell: byWebhook(webhookUrl, house) }]),
  ]
}

const byMail =
  (mailer: Mailer, to: string, house: House): Receiver['tell'] =>
  async (news) => {
    const messageId = `<alert-${newId()}@${new URL(house.publicUrl).hostname}>`
    await mailer.send({ messageId, to, ...layOut({ to, ...letterOf(news, house) }, house) })
  }

/** One mail however much has happened. */
function letterOf(news: News, house: House): { subject: string; blocks: Block[] } {
  return {
    subject: `${house.brandName}: ${headline(news)}`,
    blocks: [
      ...paragraph('New', news.firing),
      ...paragraph('Still so', news.lasting),
      ...paragraph('Over', news.resolved),
      {
        kind: 'text',
        text: 'What to do stands under the name of each alert in docs/operations.md.',
      },
      { kind: 'link', label: 'Open operations', url: new URL('/ops', house.publicUrl).href },
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

/** JSON by POST; `text` alone is enough for chat programs that take incoming webhooks. */
const byWebhook =
  (url: string, house: House): Receiver['tell'] =>
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
          `${house.brandName}: ${headline(news)}`,
          ...rows.map(({ status, line }) => `${status} ${line.name} ${sentence(line)}`),
        ].join('\n'),
        url: new URL('/ops', house.publicUrl).href,
        alerts: rows.map(({ status, line: { name, service, detail, since } }) => ({
          status,
          name,
          service,
          detail,
          since,
        })),
      }),
      signal: AbortSignal.timeout(WEBHOOK_WITHIN_MS),
    })
    await answer.body?.cancel()
    // the address may hold a secret, so no error names it
    if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`)
  }
