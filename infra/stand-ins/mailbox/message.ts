import { randomUUID } from 'node:crypto'
import PostalMime from 'postal-mime'

/** One delivery, as the HTTP interface shows it. */
export interface Message {
  readonly id: string
  /** Bare addresses. `to` is whom it was delivered to, whatever its header says. */
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  /** When it arrived, ms since the epoch. */
  readonly date: number
}

export async function parseMessage(
  raw: Buffer,
  envelope: { from: string; to: readonly string[] },
): Promise<Message> {
  const mail = await PostalMime.parse(raw)
  return {
    id: randomUUID(),
    from: mail.from?.address ?? envelope.from,
    to: envelope.to,
    subject: mail.subject ?? '',
    text: withoutLastBreak(mail.text),
    html: withoutLastBreak(mail.html),
    date: Date.now(),
  }
}

/** The line break that ends a part belongs to the mail's format. */
const withoutLastBreak = (text: string | undefined): string | null => text?.replace(/\r?\n$/, '') ?? null
