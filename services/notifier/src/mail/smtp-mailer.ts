import type * as Nodemailer from 'nodemailer'
import { createRequire } from 'node:module'
import { isLoopback, type Logger } from '@prelude/platform'
import { type Mailer, RecipientRefused } from './port.ts'

const require = createRequire(import.meta.url)

const CONNECT_WITHIN_MS = 10_000
/** Servers that scan a mail before they accept it take their time; one that is given up may have accepted it. */
const SILENCE_MS = 60_000
const WHOLE_SEND_MS = 150_000

/**
 * SMTP over a small pool of connections. `url` is `smtp://` (with STARTTLS, except on this machine) or `smtps://`, with user
 * and password if needed; its query may set any other option of nodemailer, as `?ignoreTLS=true` in a closed network. A send
 * fails after 150 s at the latest and is tried once: the caller decides about the next try.
 */
export function smtpMailer(options: { url: string; from: string; logger: Logger }): Mailer {
  const { createTransport } = require('nodemailer') as typeof Nodemailer
  const transport = createTransport({
    url: options.url,
    requireTLS: needsStartTls(options.url),
    pool: true,
    maxConnections: 4,
    maxRequeues: 0,
    dnsTimeout: CONNECT_WITHIN_MS,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: SILENCE_MS,
  })
  // an idle connection that breaks must not end the process
  transport.on('error', (error) => options.logger.warn({ code: codeOf(error) }, 'mail connection lost'))

  return {
    send: async (mail) => {
      const sent = transport.sendMail({
        messageId: mail.messageId,
        from: options.from,
        // as an object it stays one address, whatever commas it holds
        to: { name: '', address: mail.to },
        ...(mail.replyTo !== undefined && { replyTo: { name: '', address: mail.replyTo } }),
        subject: mail.subject,
        text: mail.text,
        html: mail.html,
        ...(mail.unsubscribeUrl !== undefined && { list: { unsubscribe: mail.unsubscribeUrl } }),
        // no content of a mail is ever read from a file or an address
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: AbortSignal.timeout(WHOLE_SEND_MS),
      })
      await sent.catch((error: unknown) => {
        throw refusalOf(error) ?? error
      })
    },
    ping: async () => {
      await transport.verify()
    },
    close: async () => transport.close(),
  }
}

/** Of smtp://, which begins in clear: TLS from somewhere on, except on this machine or where the address renounces it. */
export const needsStartTls = (url: string): boolean =>
  !isLoopback(url) && !new URL(url).searchParams.has('ignoreTLS')

/**
 * What a server says of one mailbox for good (RFC 3463): there is none, it has moved, is disabled or full. Of the rest of class
 * 5 all mails may be concerned: the sender (5.1.0, 5.1.7, 5.1.8), the route (5.4), our rights or reputation (5.7).
 */
const OF_MAILBOX = /^5\d\d[ -](5\.(?:1\.(?:1|2|3|6|10)|2\.\d))\b/
/** The same of a server that gives no such status; one that refuses us there uses one of these words. */
const OF_MAILBOX_PLAIN = /^55[013][ -](?!5\.)(?!.*(?:relay|sender|auth|denied|block|spam|polic))/is

/** Null unless the answer is to the recipient (RCPT TO), or to a mail that has no other (DATA). */
function refusalOf(error: unknown): RecipientRefused | null {
  const { command, response, responseCode } = error as Partial<Nodemailer.NodemailerError>
  if (response === undefined || (command !== 'RCPT TO' && command !== 'DATA')) return null
  const [, status] = OF_MAILBOX.exec(response) ?? []
  if (status !== undefined) return new RecipientRefused(`${responseCode} ${status}`)
  return command === 'RCPT TO' && OF_MAILBOX_PLAIN.test(response)
    ? new RecipientRefused(String(responseCode))
    : null
}

/** The text of a server's error may hold an address, its code does not. */
const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code
