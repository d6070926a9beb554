import type { EventEnvelope, ServiceName, Topic } from '@prelude/contracts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database, Tx } from '../database/index.ts'
import { context, type Logger } from '../observability/index.ts'
import { attempt, createHandling, type Outcome } from './attempt.ts'
import { CursorMoved, type Move, type Partition } from './cursor.ts'
import { park } from './dead-letters.ts'
import type { Subscriber } from './handler.ts'
import { type Batch, isEvent, MOST_EVENTS, type Unreadable } from './port.ts'
import { ignore, isDue, moved, movePast, type Progress, readProgress, storeProgress } from './progress.ts'
import {
  afterFailure,
  afterSuccess,
  decide,
  type Decision,
  LONG_STATEMENT_TIMEOUT_MS,
  needsLongLimit,
  workOf,
} from './retry.ts'

export type Consumer = ReturnType<typeof createConsumer>

export interface ConsumerOptions {
  readonly service: ServiceName
  readonly db: Database
  readonly subscribers: readonly Subscriber[]
  readonly logger: Logger
  /** Called after each event that is for this service, for metrics. */
  readonly onOutcome?: (type: string, outcome: Outcome, seconds: number) => void
  /** Called for each message that its topic's service did not sign. */
  readonly onForged?: (topic: Topic) => void
  readonly longStatementTimeoutMs?: number
}

/** A topic that is one partition. */
const wholeLog = (topic: Topic): Partition => ({ topic, partition: 0, partitions: 1 })
const nameOf = ({ topic, partition }: Pick<Partition, 'topic' | 'partition'>): string =>
  `${topic} ${partition}`

/**
 * Turns at-least-once delivery into one effect each: handlers, the events they emit and the moved cursor commit together,
 * many events in one transaction. A message at or before the cursor was handled and is dropped. A batch that fails is
 * halved until the event that fails is alone; it is retried while the cause is temporary, else it becomes a dead letter and
 * its key is parked, so that order holds and other keys flow. An event that is not for this service is ignored.
 */
export function createConsumer(options: ConsumerOptions) {
  const { db, logger, longStatementTimeoutMs = LONG_STATEMENT_TIMEOUT_MS } = options
  const handling = createHandling(options.service, options.subscribers)
  /** Of each topic and partition; unknown ones are read from the database. */
  const known = new Map<string, Progress>()
  let stopped = false

  /** Handles events until each has its effect or is parked. */
  const handleAll = async (
    events: readonly EventEnvelope[],
    progress: Progress,
    attempting: () => void,
  ): Promise<void> => {
    let work = workOf(events)
    for (let [part] = work.parts; part; [part] = work.parts) {
      if (stopped) throw new Error('the consumer is stopping')
      attempting()
      const decision = await tryPart(part, work.failures, progress, attempting)
      if (decision && decision !== 'halve') await delay(work.pauseMs)
      work = decision ? afterFailure(work, decision) : afterSuccess(work)
    }
  }

  /** One attempt. Null when these events have their effect, or the only one is parked; else what is to be done. Errors: CursorMoved. */
  const tryPart = async (
    events: readonly EventEnvelope[],
    failures: number,
    progress: Progress,
    attempting: () => void,
  ): Promise<Decision | null> => {
    const { partition } = progress
    const began = performance.now()
    const move = movePast(progress, events)
    const done = (outcomes: ReadonlyMap<EventEnvelope, Outcome>): null => {
      moved(progress, move)
      const seconds = (performance.now() - began) / 1000 / Math.max(1, outcomes.size)
      for (const [event, outcome] of outcomes) report(event, outcome, seconds)
      return null
    }
    const limits = {
      ...(needsLongLimit(failures) && { statementTimeoutMs: longStatementTimeoutMs }),
      onAnswer: attempting,
    }
    try {
      return done(await attempt(db, handling, { partition, move, events }, limits))
    } catch (error) {
      if (error instanceof CursorMoved) throw error
      const decision = decide(error, { events: events.length, failures })
      const err = (error as Error).message
      logger.debug({ events: events.length, failures, decision, err }, 'events failed')
      const [event] = events
      if (decision !== 'park' || !event || !(await tryToPark(event, partition, error as Error, move)))
        return decision
      return done(new Map([[event, 'parked']]))
    }
  }

  /** Answers false when the database does not answer either: an outage, not a fault of the event. Errors: CursorMoved. */
  const tryToPark = (
    event: EventEnvelope,
    partition: Partition,
    error: Error,
    move: Move,
  ): Promise<boolean> =>
    parkAndLog(event, partition, error, move).then(
      () => true,
      (problem: unknown) => {
        if (problem instanceof CursorMoved) throw problem
        return false
      },
    )

  const parkAndLog = async (
    message: EventEnvelope | Unreadable,
    partition: Partition,
    error: Error,
    move?: Move,
  ): Promise<void> => {
    const isNew = await db.transaction((tx) => park(tx, partition, message, error, move))
    if (!isNew) return
    const { type, position, id: eventId } = isEvent(message) ? message : ({} as Partial<EventEnvelope>)
    logger.error(
      { topic: partition.topic, position, type, eventId, err: error },
      'event cannot be handled, key parked',
    )
  }

  /** One line for each event that is for this service. */
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
    const progress = known.get(nameOf(partition)) ?? (await readProgress(db, partition))
    known.set(nameOf(partition), progress)
    return progress
  }

  const storeIfDue = async (progress: Progress): Promise<void> => {
    const now = performance.now()
    if (isDue(progress, now)) await storeProgress(db, progress, now)
  }

  const receive = async (batch: Batch, attempting: () => void): Promise<void> => {
    const { topic, partition: number, partitions } = batch
    const partition = { topic, partition: number, partitions }
    const progress = await progressOf(partition)
    let events: EventEnvelope[] = []
    let reached = progress.reached
    const flush = async (): Promise<void> => {
      const some = events
      events = []
      const isIgnored = !some.some(handling.concerns)
      // where the broker keeps the offset, ignored events do not come again, and would be missing in the count
      if (isIgnored && batch.resumesAtCursor) ignore(progress, some, performance.now())
      else if (some.length > 0) await handleAll(some, progress, attempting)
    }
    for (const message of batch.messages) {
      if (isEvent(message)) {
        if (message.position <= reached) continue // handled before
        reached = message.position
        if (events.push(message) === MOST_EVENTS) await flush()
      } else {
        await flush()
        if (message.problem !== 'not an event') options.onForged?.(topic)
        await parkAndLog(message, partition, new Error(message.problem))
      }
    }
    await flush()
    await storeIfDue(progress)
  }

  return {
    /**
     * Resolves when each message is handled, was handled before, or is parked. Rejects when another consumer has moved the
     * cursor meanwhile, and when stopped.
     */
    receive: async (batch: Batch, attempting: () => void = () => {}): Promise<void> => {
      try {
        await receive(batch, attempting)
      } catch (error) {
        known.delete(nameOf(batch))
        throw error
      }
    },
    /** Where to go on reading a topic that is one partition. */
    position: async (topic: Topic): Promise<number> => {
      const partition = wholeLog(topic)
      known.delete(nameOf(partition))
      return (await progressOf(partition)).stored
    },
    /** A topic that is one partition was read to its end: stores a cursor that has lagged behind ignored events for long enough. */
    atEnd: async (topic: Topic): Promise<void> => storeIfDue(await progressOf(wholeLog(topic))),
    /** Runs the handler of one event; throws what it throws. Answers false for one that has none here. */
    handle: async (tx: Tx, event: EventEnvelope): Promise<boolean> => {
      if (!handling.concerns(event)) return true
      if (!handling.hasHandler(event)) return false
      await context.run({ correlationId: event.correlationId }, () => handling.handle(tx, [event]))
      return true
    },
    /** The types and versions of events that have a handler. */
    handled: options.subscribers.map(({ event: { type, version } }) => ({ type, version })),
    /** A current batch that fails is not retried. */
    abort: (): void => {
      stopped = true
    },
    /** Stores the cursors that lag only behind ignored events. Call it after the last batch. */
    close: async (): Promise<void> => {
      const storing = [...known.values()].map((progress) => storeProgress(db, progress, performance.now()))
      await Promise.allSettled(storing) // another consumer may have moved one
    },
  }
}
