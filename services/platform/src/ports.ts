import type { EventData, EventDefinition, EventEnvelope, Topic } from '@prelude/contracts'
import type { Readable } from 'node:stream'
import type { Question } from './calls/question.ts'
import type { Answer } from './http/answers.ts'

/** What the product needs from the outside, as narrow as it can be. Each has one conformance suite for all adapters. */

// ---- Database -------------------------------------------------------------------------------------------------

export interface Rows<R> {
  readonly rows: R[]
  readonly rowCount: number
}

export interface Query {
  /** One prepared statement. `bigint` arrives as number, `jsonb` parsed. Errors: Unavailable when the server does not answer. */
  query<R = Record<string, unknown>>(sql: string, params?: readonly unknown[]): Promise<Rows<R>>
}

export interface Tx extends Query {
  /**
   * Tells the others, if and only if this transaction commits. Keyed by `data.uid`; the events of one key are numbered
   * and delivered in commit order. They are written at the end of the transaction, so that the key's lock is short.
   */
  emit<E extends EventDefinition>(event: E, data: EventData<E> & { uid: string }): void
}

export interface Database extends Query {
  /** Commits when `work` resolves, else rolls back and rethrows. Never call another service, SMTP or a store inside. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** For short reads: those of many callers share a connection, and wait for each other. */
  readonly reads: Query
  close(): Promise<void>
}

// ---- EventBus -------------------------------------------------------------------------------------------------

export interface BusMessage {
  readonly topic: Topic
  readonly key: string
  readonly value: string
}

export interface Subscription {
  /** Messages not yet handled by the group, of one topic or over all of its topics. */
  lag(topic?: Topic): Promise<number>
  /** When the consumer last tried to read or to handle, with success or not (ms since the epoch). */
  lastAttemptAt(): number
  /** Ends after the batch in hand. */
  stop(): Promise<void>
}

export interface EventBus {
  /** Creates what is missing; an explicit step, never a side effect of publishing. */
  createTopics(topics: readonly Topic[]): Promise<void>
  /** All or an error; resolves when the messages are durable. Order within a key is the order of calls and of the array. */
  publish(topic: Topic, messages: readonly Omit<BusMessage, 'topic'>[]): Promise<void>
  /**
   * Delivers at least once, per key in order, to one member of the group at a time. `handle` gets a batch of one topic
   * and must resolve when all of it is done; only then is it acknowledged. If it rejects, the batch comes again.
   * It calls `trying` whenever it begins anew, so that one that waits for a dependency is not taken for one that hangs.
   * A new group starts at the beginning.
   */
  subscribe(options: {
    group: string
    topics: readonly Topic[]
    handle: (batch: readonly BusMessage[], trying: () => void) => Promise<void>
  }): Promise<Subscription>
  /** How many messages these topics keep, whoever has read them; 0 of a topic that is not there. */
  held(topics: readonly Topic[]): Promise<number>
  ping(): Promise<void>
  close(): Promise<void>
}

// ---- KeyValue -------------------------------------------------------------------------------------------------

/** Sessions, limits and live fan-out. Every call fails with Unavailable within 3 s when the store is down. */
export interface KeyValue {
  get(key: string): Promise<string | null>
  set(key: string, value: string, ttlMs: number): Promise<void>
  /** False when the key was there. */
  setIfAbsent(key: string, value: string, ttlMs: number): Promise<boolean>
  /** The value that was there, gone now: of many callers one gets it. */
  take(key: string): Promise<string | null>
  /** Counts from 1; `ttlMs` runs from the first count. */
  increment(key: string, ttlMs: number): Promise<number>
  /** At most once, to those who listen now. `message` at most 1,000 bytes. */
  publish(channel: string, message: string): Promise<void>
  /** Resolves when active. */
  subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>
  ping(): Promise<void>
  close(): Promise<void>
}

// ---- BlobStore ------------------------------------------------------------------------------------------------

export interface BlobInfo {
  readonly path: string
  readonly sizeBytes: number
  /** ms since the epoch */
  readonly modifiedAt: number
}

/** A segment of a path has at most 255 bytes, a path 1,024; ASCII other than letters, digits, `_`, `-`, `.` counts three. */
export interface BlobStore {
  /** Whole or not at all; replaces what is there. Rejects when the source fails or its length is not `sizeBytes`. */
  put(
    path: string,
    source: Readable,
    options: { sizeBytes: number; contentType: string; signal?: AbortSignal },
  ): Promise<void>
  /**
   * The same from a whole file on this machine, which nobody may write to afterwards: a store on the same disk takes the
   * file itself instead of a copy.
   */
  putFile(
    path: string,
    file: string,
    options: { sizeBytes: number; contentType: string; signal?: AbortSignal },
  ): Promise<void>
  /** Bytes `start` to `end` (inclusive) or all. Null when there is no such object. */
  get(path: string, range?: { start: number; end: number }): Promise<Readable | null>
  head(path: string): Promise<BlobInfo | null>
  /** Also fine when there is no such object. */
  delete(path: string): Promise<void>
  list(prefix: string): AsyncIterable<BlobInfo>
  /** An address that serves the object until it expires, or null when the store has no public door. */
  publicUrl(path: string, expiresMs: number, downloadName?: string): Promise<string | null>
  ping(): Promise<void>
  close(): Promise<void>
}

// ---- Mailer ---------------------------------------------------------------------------------------------------

export interface Mail {
  /** Stable for one cause, so that a double is recognised by mail programs. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailer {
  /** Resolves when the server took it. */
  send(mail: Mail): Promise<void>
  ping(): Promise<void>
  close(): Promise<void>
}

// ---- ServiceCall ----------------------------------------------------------------------------------------------

export interface CallRequest {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly headers?: Record<string, string>
  /** A string is sent as it is. */
  readonly body?: string | Readable
  readonly signal?: AbortSignal
  /** Time to the first byte of the answer; 4 s if not given, so that a caller can still answer 503 within 5 s. */
  readonly timeoutMs?: number
}

export interface CallReply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Readable
}

/** The parts that answer calls of others. */
export type PartName = 'gateway' | 'songs' | 'credits' | 'payments' | 'storage' | 'notifier'

export interface ServiceCall {
  /** Any status resolves; rejects with Unavailable when the part cannot be reached in time. Streams both ways. */
  call(part: PartName, request: CallRequest): Promise<CallReply>
  /** An operation's answer, which comes whole, within 4 s. Any status resolves, Unavailable as for a call. */
  ask(part: PartName, question: Question): Promise<Answer>
}

export type { EventEnvelope }
