import type { EventEnvelope, Topic } from '@prelude/contracts'
import type { Appended, PostgresDatabase } from '../database/index.ts'
import type { Logger } from '../observability/index.ts'

/** A message that is no event of ours. */
export interface Unreadable {
  readonly key: string
  readonly value: string
  readonly problem: 'not an event' | 'not signed by the service that owns the topic'
}

/** A reader hands over, and a consumer handles in one transaction, at most so many events. */
export const MOST_EVENTS = 250

/** Messages of one partition, in the order of their positions; a message may come again. */
export interface Batch {
  readonly topic: Topic
  readonly partition: number
  /** How many the topic has. */
  readonly partitions: number
  readonly messages: readonly (EventEnvelope | Unreadable)[]
  /** After a restart reading goes on at the cursor, not at an offset that the broker keeps. */
  readonly resumesAtCursor: boolean
}

export const isEvent = (message: EventEnvelope | Unreadable): message is EventEnvelope =>
  'position' in message

export interface Subscribe {
  /** The consumer group: the service's name. */
  readonly group: string
  readonly topics: readonly Topic[]
  /**
   * Where reading begins, after every rejected batch too: after this position. `newest`: about now, for a consumer that
   * keeps no position. A broker that keeps the group's offset itself does not ask.
   */
  readonly from: 'newest' | ((topic: Topic) => Promise<number>)
  /**
   * Resolves when all of the batch is handled; if it rejects, the batch comes again. Calls `attempting` before each
   * attempt, and in it after each answer of the database, so that a consumer that hangs can be distinguished from one that waits for a
   * dependency or runs long statements.
   */
  readonly receive: (batch: Batch, attempting: () => void) => Promise<void>
  /** Called each time a log that resumes at the cursor was read to its end. If it rejects, reading begins again at `from`. */
  readonly atEnd?: (topic: Topic) => Promise<void>
}

export interface Subscription {
  /** Events not yet handled by the group, of one topic or over all of its topics. */
  lag(topic?: Topic): Promise<number>
  /** How long ago the consumer last attempted to read or to handle, with success or not. */
  sinceAttemptMs(): number
  /** Ends after the current batch. */
  stop(): Promise<void>
}

export interface Backlog {
  readonly events: number
  /** When the first one was emitted (ms since the epoch); null when there is none. */
  readonly oldestAt: number | null
}

/** How long the first event of a backlog has waited; 0 when there is none. */
export const ageSeconds = ({ oldestAt }: Backlog, now: number): number =>
  oldestAt === null ? 0 : Math.max(0, now - oldestAt) / 1000

/** Brings a service's own events to its subscribers. */
export interface Publisher {
  /** `appended`: events that this process has committed; without it, somebody may have appended. */
  wake(appended?: Appended): void
  /** Events that are not yet on the bus; null when subscribers read the log itself. */
  backlog(): Promise<Backlog | null>
  stop(): Promise<void>
}

export interface Publish {
  readonly topic: Topic
  /** The service's own database, with its event log. */
  readonly db: PostgresDatabase
  /** Its address, for connections that hold a lock or listen. */
  readonly databaseUrl: string
  readonly logger: Logger
  /** Called with the number of events that the bus took, and when this instance begins or ceases to forward. */
  readonly onForwarded?: (events: number) => void
  readonly onLead?: (leads: boolean) => void
}

/**
 * Brings every event of the services' logs to every group that subscribes, at least once; of one key in the order of
 * positions.
 */
export interface EventBus {
  publish(options: Publish): Publisher
  subscribe(options: Subscribe): Promise<Subscription>
  ping(): Promise<void>
  close(): Promise<void>
}
