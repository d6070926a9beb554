import { randomUUID } from 'node:crypto'
import PostalMime from 'postal-mime'

/** One delivered mail, as in the HTTP API. */
export interface Message {
  readonly id: string
  /** Addresses without names. `to` is the envelope's recipient, which its header may not name. */
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

/** Removes the line break at the end of a MIME part, which belongs to the format. */
const withoutLastBreak = (text: string | undefined): string | null => text?.replace(/\r?\n$/, '') ?? null
