import { setTimeout as delay } from 'node:timers/promises'
import {
  AppError,
  context,
  type Database,
  inSpan,
  type Job,
  type Logger,
  type Mailer,
  newId,
} from '@prelude/platform'
import { composeLetter, type Owners } from './compose-letter.ts'
import { nextTry } from './domain/back-off.ts'
import { type House, layOut } from './domain/letter.ts'
import type { MailMeasures } from './measures.ts'
import { type ClaimedMessage, claimMessages, type MarkSent, markTryFailed } from './store/message.ts'

const AT_ONCE = 8
/** Mail providers refuse more, and a crowd at the door must not be slowed by the mails about it. */
const AT_MOST_A_SECOND = 50

interface Sending {
  readonly db: Database
  readonly owners: Owners
  readonly mailer: Mailer
  readonly logger: Logger
  readonly house: House
  readonly markSent: MarkSent
  readonly tried: MailMeasures['tried']
}

/** Sends what is due, a few at a time, until nothing is. What is in hand is finished before it stops. */
export const sendDueMessages = (sending: Sending): Job => ({
  name: 'send-due-messages',
  everyMs: 1_000,
  run: async (signal) => {
    while (!signal.aborted) {
      const messages = await claimMessages(sending.db, { limit: AT_ONCE, now: Date.now() })
      if (messages.length === 0) return
      const results = await Promise.allSettled(
        messages.map((message) => followed(message, () => sendMessage(sending, message))),
      )
      for (const result of results) if (result.status === 'rejected') throw result.reason
      if (messages.length === AT_ONCE)
        await delay((AT_ONCE / AT_MOST_A_SECOND) * 1_000, undefined, { signal }).catch(() => {})
    }
  },
})

/** Log lines and spans of a mail bear the ids of the request that caused it. */
const followed = (
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
 * A double can only happen when this process or its database fails between sending and marking: the lease ends, and
 * the message goes out again with the same message id.
 */
async function sendMessage(sending: Sending, message: ClaimedMessage): Promise<void> {
  const { db, mailer, logger, house, markSent } = sending
  try {
    const letter = await composeLetter(message.notice, sending.owners, house)
    const messageId = `<${message.messageId}@${new URL(house.publicUrl).hostname}>`
    await mailer.send({ messageId, to: letter.to, ...layOut(letter, house) })
  } catch (error) {
    const reason = reasonOf(error)
    const nextAt = nextTry({ ...message, now: Date.now() })
    await markTryFailed(db, message, { error: reason, nextAt })
    const outcome = { id: message.id, kind: message.notice.kind, attempts: message.attempts, reason }
    sending.tried(message.notice.kind, nextAt === null ? 'failed' : 'retried')
    if (nextAt === null) logger.error(outcome, 'mail given up')
    else logger.warn(outcome, 'mail not sent, will be tried again')
    return
  }
  sending.tried(message.notice.kind, 'sent')
  await markSent({ id: message.id, at: Date.now() })
  const { id, notice, attempts } = message
  logger.info({ id, kind: notice.kind, attempts }, 'mail sent')
}

/** Codes alone: the sentence of a mail server often repeats the address, which is kept nowhere here. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.code
  if (!(error instanceof Error)) return 'unknown'
  const { code, responseCode } = error as Error & { code?: string; responseCode?: number }
  return [error.name, code, responseCode].filter((part) => part !== undefined).join(' ')
}
