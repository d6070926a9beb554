import { once as emitted } from 'node:events'
import {
  AppError,
  type Clock,
  context,
  type Database,
  inSpan,
  type Job,
  type Logger,
  newId,
  once,
} from '@prelude/platform'
import { composeMail, type Owners } from '../compose-mail.ts'
import { nextTry } from '../domain/back-off.ts'
import { type MailBranding, layOut } from '../domain/mail.ts'
import { isOptional, isToOperator } from '../domain/mail-facts.ts'
import { DEFAULT_READER, type Reader } from '../domain/reader.ts'
import type { MailMeasures } from '../measures.ts'
import {
  type ClaimedMessage,
  claimMessages,
  dropMessage,
  releaseMessages,
  type MarkSent,
  markTryFailed,
  renewLeases,
  reserveBatch,
} from '../store/message.ts'
import { readReaders } from '../store/preference.ts'
import { type Mailer, RecipientRefused } from '../mail/port.ts'

const AT_ONCE = 8
/**
 * Between two batches, over all instances: in any second six batches are sent, at most 48 mails. Mail providers refuse more, and
 * the mails of a burst of requests must not slow the requests.
 */
const PAUSE_MS = 170
const RENEW_MS = 10_000
/** Of the 20 s in which a process stops. */
const FINISH_WITHIN_MS = 12_000

interface Sending {
  readonly db: Database
  readonly clock: Clock
  /** See createNotifier. */
  readonly instance: string
  readonly owners: Owners
  readonly mailer: Mailer
  readonly logger: Logger
  readonly branding: MailBranding
  readonly markSent: MarkSent
  readonly tried: MailMeasures['tried']
}

/**
 * Sends due messages, one batch after the other, until none is due. A stop waits for mails that are being sent, unless their server takes
 * too long.
 */
export function sendDueMessages(sending: Sending): Job {
  const { db, clock, instance } = sending
  const release = once(() => releaseMessages(db, instance, clock.now()))
  return {
    name: 'send-due-messages',
    everyMs: 1_000,
    run: async (signal) => {
      await release()
      while (!signal.aborted) {
        const messages = await claimMessages(db, { instance, limit: AT_ONCE, now: clock.now() })
        if (messages.length === 0) return
        const readers = await readReaders(
          db,
          messages.map(({ facts }) => facts.uid),
        )
        const sendAt = await reserveBatch(db, clock.now(), PAUSE_MS)
        const over = new AbortController()
        void keepLeases(sending, messages, over.signal)
        await clock.wait(Math.max(0, sendAt - clock.now()), signal)
        const sends = Promise.allSettled(
          messages.map((message) => {
            const reader = readers.get(message.facts.uid) ?? DEFAULT_READER
            return inSpanOf(message, () => sendMessage(sending, message, reader))
          }),
        )
        const results = await unlessStopped(clock, signal, sends)
        over.abort()
        for (const result of results) if (result.status === 'rejected') throw result.reason
      }
    },
  }
}

/** Renews the leases of these messages until `over`. Without the database they end. */
async function keepLeases(
  { db, clock }: Sending,
  messages: readonly ClaimedMessage[],
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    await clock.wait(RENEW_MS, over)
    if (over.aborted) return
    await renewLeases(db, messages, clock.now()).catch(() => {})
  }
}

/** The results of `sends`; none when they take too long after a stop: their leases end. */
async function unlessStopped<T>(clock: Clock, signal: AbortSignal, sends: Promise<T[]>): Promise<T[]> {
  const done = new AbortController()
  const stopped = signal.aborted ? Promise.resolve() : emitted(signal, 'abort', { signal: done.signal })
  const tooLate = stopped
    .then(() => clock.wait(FINISH_WITHIN_MS, done.signal))
    .then(
      () => [],
      () => [],
    )
  return Promise.race([sends, tooLate]).finally(() => done.abort())
}

/** Log lines and spans of a mail carry the ids of the request that caused it. */
const inSpanOf = (
  { correlationId, traceparent }: ClaimedMessage,
  send: () => Promise<void>,
): Promise<void> => {
  const attributes = { 'prelude.service': 'notifier' }
  const parent = traceparent ?? undefined
  return context.run({ correlationId: correlationId ?? newId() }, () =>
    inSpan('send mail', { attributes, parent }, send),
  )
}

/**
 * A duplicate is possible only when this process or its database ends between sending and marking, or a mail server does not
 * answer in time about a mail that it has accepted: the message is sent again with the same message id.
 */
async function sendMessage(sending: Sending, message: ClaimedMessage, reader: Reader): Promise<void> {
  const { db, mailer, logger, branding, markSent } = sending
  let to = ''
  try {
    const mail = await composeMail(message, sending.owners, reader, branding)
    if (mail === null) {
      await dropMessage(db, message, sending.clock.now())
      logger.info({ id: message.id, kind: message.facts.kind }, 'mail dropped: it is not true any more')
      return
    }
    to = mail.to
    const messageId = `<${message.messageId}@${new URL(branding.publicUrl).hostname}>`
    await mailer.send({
      messageId,
      to: mail.to,
      replyTo: mail.replyTo,
      ...layOut(mail, branding, { optional: isOptional(message.facts) }),
    })
  } catch (error) {
    const reason = reasonOf(error)
    const nextAt = (await isFinal(sending, message, { error, to }))
      ? null
      : nextTry({ ...message, now: sending.clock.now() })
    await markTryFailed(db, message, { error: reason, nextAt })
    const outcome = { id: message.id, kind: message.facts.kind, attempts: message.attempts, reason }
    sending.tried(message.facts.kind, nextAt === null ? 'failed' : 'retried')
    if (nextAt === null) logger.error(outcome, 'mail given up')
    else logger.warn(outcome, 'mail not sent, will be tried again')
    return
  }
  sending.tried(message.facts.kind, 'sent')
  await markSent(message.id)
  const { id, facts, attempts, wasRefused } = message
  if (wasRefused)
    await sending.owners.people
      .mailOutcome({ params: { uid: facts.uid }, body: { email: to, accepted: true } })
      .catch((error: unknown) => logger.warn({ id, err: error }, 'the next mail will say that one arrived'))
  // an address whose deletion fails here is deleted after a day
  if (facts.kind === 'account-closed')
    await sending.owners.people
      .deleteClosingMail({ params: { uid: facts.uid } })
      .catch((error: unknown) =>
        logger.warn({ id, err: error }, 'the address of a closed account stays for a day'),
      )
  logger.info({ id, kind: facts.kind, attempts }, 'mail sent')
}

/** The owners have no such song, person or payment. */
const MISSING: ReadonlySet<string> = new Set(['song_not_found', 'user_not_found', 'payment_not_found'])

/**
 * A further attempt would end the same: what the mail is about is gone, or its recipient was refused for good. The gateway
 * counts the latter; while it does not answer, the mail is tried again, so that none is missed.
 */
async function isFinal(
  { owners }: Sending,
  { facts }: ClaimedMessage,
  { error, to: email }: { error: unknown; to: string },
): Promise<boolean> {
  if (error instanceof AppError) return MISSING.has(error.code)
  if (!(error instanceof RecipientRefused)) return false
  if (isToOperator(facts)) return true
  return owners.people.mailOutcome({ params: { uid: facts.uid }, body: { email, accepted: false } }).then(
    () => true,
    () => false,
  )
}

/** Codes alone: the text of a mail server often repeats the address, which is not stored here. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.code
  if (!(error instanceof Error)) return 'unknown'
  const { code, responseCode, status } = error as Error &
    Partial<Record<'code' | 'responseCode' | 'status', string | number>>
  return [error.name, code, responseCode, status].filter((part) => part !== undefined).join(' ')
}
