import type { EventEnvelope } from '@prelude/contracts'
import { SpanKind } from '@opentelemetry/api'
import { context } from '../observability/context.ts'
import { assertReadable, readEnvelope } from './envelope.ts'
import { AppError } from '../errors.ts'
import type { Logger } from '../observability/logger.ts'
import type { BusMessage } from './port.ts'
import type { Database, Tx } from '../database/port.ts'
import type { Reaction } from '../host/service.ts'
import { inSpan } from '../observability/tracing.ts'

const KEYS_AT_ONCE = 6
const TOGETHER = 250
/** A batch of so many came from a crowd. Each costs a commit and the marks of its keys, so more are let come. */
const CROWD = 20
/** When nothing in it was for this part. */
const PATIENCE_WITH_OTHERS_MS = 50
const GAP_PATIENCE_MS = 10_000
const TRIES_OF_A_STRANGE_ERROR = 3
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 3_000

export type Outcome = 'handled' | 'seen' | 'parked' | 'stopped'

export interface Inbox {
  /** Resolves when each message is handled, seen before, or parked; keys side by side, a key in order. Rejects only when stopped. */
  take(batch: readonly BusMessage[], trying?: () => void): Promise<void>
  /** Handles one message that waited in dead_letter; throws what the handler throws. */
  retry(tx: Tx, envelope: EventEnvelope): Promise<void>
  stop(): void
}

/** Gaps wait a while: what is missing may only be late. */
class Gap extends Error {
  override readonly name = 'Gap'
}

/** Said inside a transaction that was meant for many messages. */
class NotTogether extends Error {
  override readonly name = 'NotTogether'
}

interface InboxOptions {
  /** Who handles, for traces. */
  readonly part: string
  readonly db: Database
  readonly reactions: readonly Reaction[]
  readonly logger: Logger
  /** How long events may wait while a crowd of them comes, so that more are handled together; 0 if not given. */
  readonly patienceMs?: number | undefined
  /** Told of each handled event, for metrics. */
  readonly onOutcome?: (type: string, outcome: Outcome, seconds: number) => void
}

/**
 * Turns at-least-once delivery into one effect: handler, its own emits and the raised mark commit together. Transient
 * errors are retried here; anything else puts the raw message into dead_letter and parks its key, so that order holds.
 */
export function createInbox(options: InboxOptions): Inbox {
  const { db, logger } = options
  const reactions = new Map(options.reactions.map((reaction) => [reaction.event.type, reaction]))
  let stopped = false

  /** Undefined when nothing is to be done with it here. */
  const reactionTo = (envelope: EventEnvelope): Reaction | undefined => {
    const reaction = reactions.get(envelope.type)
    // one of another version may mean anything
    const isPassed = reaction?.event.version === envelope.version && reaction.passes?.(envelope.data)
    return isPassed ? undefined : reaction
  }

  const effect = async (tx: Tx, envelope: EventEnvelope): Promise<void> => {
    const reaction = reactionTo(envelope)
    if (!reaction) return // not for us, but the mark rises all the same
    assertReadable(reaction.event, envelope)
    const attributes = { 'prelude.part': options.part, 'messaging.destination.name': envelope.topic }
    const span = { kind: SpanKind.CONSUMER, attributes, parent: envelope.traceparent }
    await inSpan(`handle ${envelope.type}`, span, () => reaction.handle(envelope, tx))
  }

  const attempt = (envelope: EventEnvelope, message: BusMessage): Promise<Outcome> =>
    db.transaction(async (tx) => {
      const { rows } = await tx.query<{ take: string }>('select inbox_take($1, $2, $3) as take', [
        envelope.topic,
        envelope.key,
        envelope.seq,
      ])
      const take = rows[0]?.take
      if (take === 'done') return 'seen'
      if (take === 'gap') throw new Gap(`an event before seq ${envelope.seq} is missing`)
      if (take === 'parked') {
        await insertDeadLetter(tx, message, envelope, 'an earlier event of this key is parked')
        return 'parked'
      }
      await effect(tx, envelope)
      return 'handled'
    })

  const park = async (
    message: BusMessage,
    envelope: EventEnvelope | null,
    error: Error,
  ): Promise<Outcome> => {
    await db.transaction(async (tx) => {
      await tx.query(
        `insert into inbox (topic, key, seq, parked) values ($1, $2, $3, true)
         on conflict (topic, key) do update set parked = true`,
        [message.topic, message.key, (envelope?.seq ?? 1) - 1],
      )
      await insertDeadLetter(tx, message, envelope, `${error.name}: ${error.message}`)
    })
    logger.error(
      { topic: message.topic, seq: envelope?.seq, type: envelope?.type, eventId: envelope?.id, err: error },
      'event cannot be handled, key parked',
    )
    return 'parked'
  }

  /** One line for each event that means something here. */
  const tell = (envelope: EventEnvelope | null, outcome: Outcome, seconds: number): void => {
    options.onOutcome?.(envelope?.type ?? 'unreadable', outcome, seconds)
    if (!envelope || outcome === 'seen' || !reactionTo(envelope)) return
    const { type, topic, seq, id: eventId, correlationId } = envelope
    const traceId = envelope.traceparent?.split('-')[1]
    const ms = Math.round(seconds * 1000)
    context.run({ correlationId }, () =>
      logger.info({ type, topic, seq, eventId, outcome, ms, ...(traceId && { traceId }) }, 'event'),
    )
  }

  const one = async (message: BusMessage, trying: () => void): Promise<void> => {
    const started = performance.now()
    const envelope = readEnvelope(message)
    const outcome = await withRetries(message, envelope, trying)
    tell(envelope, outcome, (performance.now() - started) / 1000)
  }

  const withRetries = async (
    message: BusMessage,
    envelope: EventEnvelope | null,
    trying: () => void,
  ): Promise<Outcome> => {
    const since = Date.now()
    let pauseMs = FIRST_PAUSE_MS
    for (let tries = 1; !stopped; tries++) {
      trying()
      try {
        if (!envelope) return await park(message, null, new Error('not an event envelope'))
        const run = () => attempt(envelope, message)
        return await context.run({ correlationId: envelope.correlationId }, run)
      } catch (error) {
        if (!isTransient(error, tries, since)) {
          const parked = await park(message, envelope, error as Error).catch(() => null)
          if (parked) return parked
        }
        logger.debug(
          { type: envelope?.type, tries, err: (error as Error).message },
          'event will be tried again',
        )
      }
      await pause(pauseMs)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
    throw new Error('the consumer is stopping')
  }

  /** Many keys in one transaction; false when it cannot be so, and each message has to be looked at by itself. */
  const together = async (
    batch: readonly BusMessage[],
    envelopes: readonly (EventEnvelope | null)[],
  ): Promise<boolean> => {
    const started = performance.now()
    const runs = runsOf(envelopes)
    if (!runs || batch.length === 1) return false
    try {
      await db.transaction(async (tx) => {
        const { rows } = await tx.query<{ took: boolean }>(
          'select inbox_take_runs($1, $2::text[], $3::bigint[], $4::bigint[]) as took',
          [
            batch[0]?.topic,
            runs.map(([first]) => first?.key),
            runs.map(([first]) => first?.seq),
            runs.map((run) => run.at(-1)?.seq),
          ],
        )
        if (rows[0]?.took !== true) throw new NotTogether('a key does not go on from its mark')
        await allDone(
          runs.map(async (run) => {
            for (const envelope of run)
              await context.run({ correlationId: envelope.correlationId }, () => effect(tx, envelope))
          }),
        )
      })
    } catch (error) {
      logger.debug(
        { err: (error as Error).message, messages: batch.length },
        'events will be taken one by one',
      )
      return false
    }
    const seconds = (performance.now() - started) / 1000 / batch.length
    for (const envelope of runs.flat()) tell(envelope, 'handled', seconds)
    return true
  }

  const oneByOne = async (batch: readonly BusMessage[], trying: () => void): Promise<void> => {
    const keys = [...Map.groupBy(batch, (message) => message.key).values()]
    const workers = Array.from({ length: Math.min(KEYS_AT_ONCE, keys.length) }, async () => {
      for (let messages = keys.shift(); messages; messages = keys.shift())
        for (const message of messages) await one(message, trying)
    })
    await Promise.all(workers)
  }

  return {
    take: async (batch, trying = () => {}) => {
      let isForOthers = true
      for (let start = 0; start < batch.length; start += TOGETHER) {
        trying()
        const messages = batch.slice(start, start + TOGETHER)
        const envelopes = messages.map(readEnvelope)
        isForOthers &&= !envelopes.some((envelope) => envelope && reactionTo(envelope))
        if (stopped || !(await together(messages, envelopes))) await oneByOne(messages, trying)
      }
      const { patienceMs = 0 } = options
      if (!stopped && batch.length >= CROWD)
        await pause(isForOthers ? Math.max(patienceMs, PATIENCE_WITH_OTHERS_MS) : patienceMs)
    },
    retry: (tx, envelope) =>
      context.run({ correlationId: envelope.correlationId }, () => effect(tx, envelope)),
    stop: () => {
      stopped = true
    },
  }
}

/**
 * The messages of each key, keys in order so that two transactions lock them alike. Null when one is unreadable or a
 * key's numbers have a hole.
 */
function runsOf(envelopes: readonly (EventEnvelope | null)[]): EventEnvelope[][] | null {
  if (!envelopes.every((envelope) => envelope !== null)) return null
  const runs = [...Map.groupBy(envelopes, (envelope) => envelope.key)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, run]) => run)
  const whole = runs.every((run) => run.every(({ seq }, i) => i === 0 || seq === (run[i - 1]?.seq ?? 0) + 1))
  return whole ? runs : null
}

/** As Promise.all, but waits for all of them also when one has failed: none must go on after the transaction's end. */
async function allDone(works: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(works)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

function isTransient(error: unknown, tries: number, since: number): boolean {
  if (error instanceof AppError) return error.kind === 'unavailable'
  if (error instanceof Gap) return Date.now() - since < GAP_PATIENCE_MS
  return tries < TRIES_OF_A_STRANGE_ERROR
}

async function insertDeadLetter(
  tx: Tx,
  message: BusMessage,
  envelope: EventEnvelope | null,
  error: string,
): Promise<void> {
  await tx.query(
    `insert into dead_letter (topic, key, seq, type, value, error) values ($1, $2, $3, $4, $5, $6)
     on conflict (topic, key, seq) do nothing`,
    [message.topic, message.key, envelope?.seq ?? null, envelope?.type ?? null, message.value, error],
  )
}

const pause = async (ms: number): Promise<void> => {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
}
