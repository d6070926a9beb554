import type { EventEnvelope, ServiceName, Topic } from '@prelude/contracts'
import { SpanKind } from '@opentelemetry/api'
import type { Database, Tx } from '../database/index.ts'
import { AppError, TimedOut } from '../errors.ts'
import { context, currentTraceparent, inSpan, isTracing, type Logger } from '../observability/index.ts'
import { CursorMoved, moveCursor, type Partition, readCursor } from './cursor.ts'
import { insertDeadLetter, lockTopic, parkedKeys, parkKey } from './dead-letters.ts'
import { assertReadable } from './envelope.ts'
import type { Subscriber } from './handler.ts'
import { type Batch, isEvent, type Unreadable } from './port.ts'
import { runsOf } from './runs.ts'

/** How long the cursor may lag behind events that this service ignores; saves a commit for each batch of them. */
const IDLE_CURSOR_LINGER_MS = 500
const TRIES = 3
/** For an event whose tries all timed out: alone, with a longer limit for each statement. */
const LONG_STATEMENT_TIMEOUT_MS = 60_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 3_000

export type Outcome = 'handled' | 'parked'

export interface Consumer {
  /**
   * Resolves when each message is handled, was handled before, or is parked. Rejects when another consumer has moved the
   * cursor meanwhile, and when stopped.
   */
  receive(batch: Batch, attempting?: () => void): Promise<void>
  /** Where to go on reading a topic that is one partition. */
  position(topic: Topic): Promise<number>
  /** Runs the handlers of one event; throws what they throw. */
  handle(tx: Tx, event: EventEnvelope): Promise<void>
  /** A current batch that fails is not retried. */
  abort(): void
  /** Stores the cursors that lag only behind ignored events. Call it after the last batch. */
  close(): Promise<void>
}

export interface ConsumerOptions {
  readonly service: ServiceName
  readonly db: Database
  readonly subscribers: readonly Subscriber[]
  readonly logger: Logger
  /** Called after each event that has a handler, for metrics. */
  readonly onOutcome?: (type: string, outcome: Outcome, seconds: number) => void
  /** Called for each message that its topic's service did not sign. */
  readonly onForged?: (topic: Topic) => void
  readonly longStatementTimeoutMs?: number
}

/** Where a partition's cursor is stored, and how far beyond it only ignored events were read. */
interface Progress {
  readonly partition: Partition
  stored: number
  reached: number
  ignored: number
  /** A batch is being handled: it moves the cursor itself. */
  active: boolean
  /** The cursor is being written without a batch; the next batch waits for it. */
  writing: Promise<void>
}

/**
 * Turns at-least-once delivery into one effect each: handlers, the events they emit and the moved cursor commit together,
 * many events in one transaction. A message at or before the cursor was handled and is dropped. A batch that fails is
 * halved until the event that fails is alone; it is retried while the cause is temporary, else it becomes a dead letter and
 * its key is parked, so that order holds and other keys flow.
 */
export function createConsumer(options: ConsumerOptions): Consumer {
  const { db, logger, longStatementTimeoutMs = LONG_STATEMENT_TIMEOUT_MS } = options
  const subscribers = new Map(options.subscribers.map((one) => [one.event.type, one]))
  const progresses = new Map<string, Progress>()
  let stopped = false
  let linger: NodeJS.Timeout | undefined

  const handle = async (tx: Tx, events: readonly EventEnvelope[]): Promise<void> => {
    const [first] = events
    const subscriber = first && subscribers.get(first.type)
    if (!subscriber) return
    for (const event of events) assertReadable(subscriber.event, event)
    if (!isTracing()) return subscriber.handle(events, tx)
    for (const event of events) {
      const attributes = { 'prelude.service': options.service, 'messaging.destination.name': event.topic }
      const span = { kind: SpanKind.CONSUMER, attributes, parent: event.traceparent }
      // one by one, so that each has a span, the parent of the events that it causes
      await inSpan(`handle ${event.type}`, span, () =>
        subscriber.handle([{ ...event, traceparent: currentTraceparent() ?? '' }], tx),
      )
    }
  }

  /** One transaction for all of these; answers the outcome of those that have a handler. */
  const attempt = (
    events: readonly EventEnvelope[],
    { partition, from, taken }: { partition: Partition; from: number; taken: number },
    limits?: { statementTimeoutMs: number },
  ): Promise<ReadonlyMap<EventEnvelope, Outcome>> =>
    db.transaction(async (tx) => {
      const { topic } = partition
      const to = events.at(-1)?.position ?? from
      // two statements, one round trip: a key is unparked under the cursor's lock, so the second statement sees it
      const [, parked] = await Promise.all([
        moveCursor(tx, partition, { from, to, taken }),
        parkedKeys(tx, topic),
      ])
      const relevant = events.filter(({ type }) => subscribers.has(type))
      const behind = relevant.filter(({ key }) => parked.has(key))
      for (const event of behind)
        await insertDeadLetter(tx, topic, event, 'an earlier event of this key is parked')
      for (const run of runsOf(relevant.filter(({ key }) => !parked.has(key)))) await handle(tx, run)
      return new Map(relevant.map((event) => [event, parked.has(event.key) ? 'parked' : 'handled']))
    }, limits)

  const park = async (
    message: EventEnvelope | Unreadable,
    partition: Partition,
    error: Error,
    moved?: { from: number; to: number; taken: number },
  ): Promise<void> => {
    await db.transaction(async (tx) => {
      if (moved) await moveCursor(tx, partition, moved)
      else await lockTopic(tx, partition.topic)
      await parkKey(tx, partition.topic, message.key)
      await insertDeadLetter(tx, partition.topic, message, `${error.name}: ${error.message}`)
    })
    const { type, position, id: eventId } = isEvent(message) ? message : ({} as Partial<EventEnvelope>)
    logger.error(
      { topic: partition.topic, position, type, eventId, err: error },
      'event cannot be handled, key parked',
    )
  }

  const take = async (
    events: readonly EventEnvelope[],
    progress: Progress,
    attempting: () => void,
  ): Promise<void> => {
    const { partition } = progress
    let pauseMs = FIRST_PAUSE_MS
    let tries = 0
    for (;;) {
      if (stopped) throw new Error('the consumer is stopping')
      attempting()
      const began = performance.now()
      const from = progress.stored
      const taken = events.length + progress.ignored
      const to = events.at(-1)?.position ?? from
      const done = (outcomes: ReadonlyMap<EventEnvelope, Outcome>): void => {
        Object.assign(progress, { stored: to, reached: to, ignored: 0 })
        const seconds = (performance.now() - began) / 1000 / Math.max(1, outcomes.size)
        for (const [event, outcome] of outcomes) report(event, outcome, seconds)
      }
      try {
        const limits = tries >= TRIES ? { statementTimeoutMs: longStatementTimeoutMs } : undefined
        return done(await attempt(events, { partition, from, taken }, limits))
      } catch (error) {
        if (error instanceof CursorMoved) throw error
        logger.debug(
          { events: events.length, tries, err: (error as Error).message },
          'events will be tried again',
        )
        const isOutage = isUnavailable(error) && !(error instanceof TimedOut)
        const [event] = events
        if (!isOutage && events.length > 1) {
          const half = events.length >> 1
          await take(events.slice(0, half), progress, attempting)
          return take(events.slice(half), progress, attempting)
        }
        if (!isOutage) tries += 1
        // an event that times out has another try, with a longer limit
        const isLast = error instanceof TimedOut ? tries > TRIES : tries >= TRIES
        if (isLast && !isOutage && event) {
          const parked = await park(event, partition, error as Error, { from, to, taken }).then(
            () => true,
            (problem: unknown) => {
              if (problem instanceof CursorMoved) throw problem
              return false // the database does not answer either: an outage, not a fault of the event
            },
          )
          if (parked) return done(new Map([[event, 'parked']]))
        }
      }
      await pause(pauseMs)
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    }
  }

  /** One line for each event that has a handler. */
  const report = (
    { type, topic, position, id: eventId, correlationId, traceparent }: EventEnvelope,
    outcome: Outcome,
    seconds: number,
  ): void => {
    options.onOutcome?.(type, outcome, seconds)
    const traceId = traceparent?.split('-')[1]
    const ms = Math.round(seconds * 1000)
    context.run({ correlationId }, () =>
      logger.info({ type, topic, position, eventId, outcome, ms, ...(traceId && { traceId }) }, 'event'),
    )
  }

  const progressOf = async (partition: Partition): Promise<Progress> => {
    const key = `${partition.topic} ${partition.partition}`
    const known = progresses.get(key)
    if (known) return known
    const stored = await readCursor(db, partition)
    const progress = {
      partition,
      stored,
      reached: stored,
      ignored: 0,
      active: false,
      writing: Promise.resolve(),
    }
    progresses.set(key, progress)
    return progress
  }
  const forget = ({ topic, partition }: Partition): void => void progresses.delete(`${topic} ${partition}`)

  /** Stores the cursors that lag only behind ignored events, where no batch is being handled. */
  const writeIdle = async (): Promise<void> => {
    clearTimeout(linger)
    linger = undefined
    const idle = [...progresses.values()].filter(({ active, stored, reached }) => !active && reached > stored)
    await Promise.all(
      idle.map((progress) => {
        progress.writing = progress.writing.then(() => write(progress))
        // the next batch rejects with it
        return progress.writing.catch(() => {})
      }),
    )
  }
  /** During an outage the ignored events stay counted, for the next batch or the next write. Errors: CursorMoved. */
  const write = async (progress: Progress): Promise<void> => {
    const { partition, stored: from, reached: to, ignored: taken } = progress
    if (to === from) return
    try {
      await moveCursor(db, partition, { from, to, taken })
      Object.assign(progress, { stored: to, ignored: progress.ignored - taken })
    } catch (error) {
      if (error instanceof CursorMoved) throw error
      writeSoon()
    }
  }
  const writeSoon = (): void => {
    if (!stopped) linger ??= setTimeout(() => void writeIdle(), IDLE_CURSOR_LINGER_MS)
  }

  const receive = async (batch: Batch, attempting: () => void): Promise<void> => {
    const { topic, partition: number, partitions } = batch
    const partition = { topic, partition: number, partitions }
    const progress = await progressOf(partition)
    await progress.writing
    progress.active = true
    let events: EventEnvelope[] = []
    let reached = progress.reached
    const flush = async (): Promise<void> => {
      const some = events
      events = []
      const isIgnored = !some.some(({ type }) => subscribers.has(type))
      // where the broker keeps the offset, ignored events do not come again, and would be missing in the count
      if (!isIgnored || !batch.resumesAtCursor)
        return some.length > 0 ? take(some, progress, attempting) : undefined
      progress.ignored += some.length
      progress.reached = some.at(-1)?.position ?? progress.reached
      if (progress.ignored > 0) writeSoon()
    }
    for (const message of batch.messages) {
      if (isEvent(message)) {
        if (message.position <= reached) continue // handled before
        reached = message.position
        events.push(message)
      } else {
        await flush()
        if (message.problem !== 'not an event') options.onForged?.(topic)
        await park(message, partition, new Error(message.problem))
      }
    }
    await flush()
    progress.active = false
  }

  return {
    receive: async (batch, attempting = () => {}) => {
      try {
        await receive(batch, attempting)
      } catch (error) {
        forget(batch)
        throw error
      }
    },
    position: async (topic) => {
      const partition = { topic, partition: 0, partitions: 1 }
      forget(partition)
      return (await progressOf(partition)).stored
    },
    handle: (tx, event) => context.run({ correlationId: event.correlationId }, () => handle(tx, [event])),
    abort: () => {
      stopped = true
    },
    close: writeIdle,
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.kind === 'unavailable'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
