import type { Topic } from '@prelude/contracts'
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { postgresDatabase } from '../database/index.ts'
import type { Logger } from '../observability/index.ts'
import { signal } from '../wait.ts'
import { announcements, announcer } from './announcements.ts'
import { eachTopic } from './each-topic.ts'
import { type LogReader, logReader, LogTruncated } from './log-reader.ts'
import { type EventBus, MOST_EVENTS, type Subscribe } from './port.ts'

/** The role that reads event logs; other roles have the name of their schema. */
export const LOG_READER_SCHEMA = 'bus'

const POLL_MS = 5_000
/** Between the beginnings of a consumer's transactions, unless one is full: at high rates each holds several songs. */
const INTERVAL_MS = 10
const RETRY_MIN_MS = 50
const RETRY_MAX_MS = 3_000
/** The log is one partition. */
const WHOLE_LOG = { partition: 0, partitions: 1, resumesAtCursor: true } as const

interface LogBusOptions {
  readonly url: string
  readonly logger: Logger
  /** A log has lost events that were read: the process should end. */
  readonly onFatal: (error: Error) => void
  /** No other process subscribes, so that none is notified of appends. */
  readonly onlySubscriber?: boolean | undefined
  readonly pollMs?: number
}

/**
 * No broker: consumers read the services' event logs themselves, in the database that they share. An append wakes readers at
 * once; the poll, every `pollMs`, is for a lost announcement.
 */
export function logBus({
  url,
  logger,
  onFatal,
  onlySubscriber = false,
  pollMs = POLL_MS,
}: LogBusOptions): EventBus {
  const db = postgresDatabase({ url, schema: LOG_READER_SCHEMA, logger, poolSize: 4 })
  /** Its own appends wake its readers directly. */
  const self = randomUUID()
  const readers = new Map<Topic, LogReader>()
  /** Emits the topics whose logs have grown, to their consumers. */
  const appends = new EventEmitter().setMaxListeners(0)
  const readerOf = (topic: Topic): LogReader => {
    const known = readers.get(topic)
    if (known) return known
    const reader = logReader(db, topic)
    readers.set(topic, reader)
    return reader
  }
  /** Of all topics when none is named. */
  const announced = (topic: Topic | null): void => {
    for (const one of topic === null ? readers.keys() : [topic]) {
      readers.get(one)?.markStale()
      appends.emit(one)
    }
  }
  const listening = announcements({ self, url, schema: LOG_READER_SCHEMA, logger, onAppended: announced })
  const polling = setInterval(() => announced(null), pollMs)
  polling.unref()

  return {
    publish: ({ topic, db: own }) => {
      const others = onlySubscriber ? null : announcer(own, { self, topic, logger })
      return {
        wake: (appended) => {
          readers.get(topic)?.append(appended)
          appends.emit(topic)
          others?.announce()
        },
        backlog: async () => null,
        stop: async () => others?.stop(),
      }
    },
    subscribe: async (options) =>
      eachTopic(options.topics, (topic) =>
        follow(options, topic, { reader: readerOf(topic), appends, pollMs, logger, onFatal }),
      ),
    ping: async () => {
      await db.query('select 1')
    },
    close: async () => {
      clearInterval(polling)
      await listening.stop()
      await db.close()
    },
  }
}

/** One consumer of one topic, until stopped. */
function follow(
  { group, from, receive, atEnd }: Subscribe,
  topic: Topic,
  log: Required<Omit<LogBusOptions, 'url' | 'onlySubscriber'>> & { reader: LogReader; appends: EventEmitter },
) {
  const { reader, appends, pollMs, logger, onFatal } = log
  const woken = signal()
  appends.on(topic, woken.wake)
  let stopped = false
  let attemptedAt = performance.now()
  let position: number | undefined
  const attempting = (): void => {
    attemptedAt = performance.now()
  }
  const begin = (): Promise<number> => (from === 'newest' ? reader.newest() : from(topic))

  const running = (async () => {
    let pauseMs = RETRY_MIN_MS
    let nextAt = 0
    while (!stopped) {
      attempting()
      try {
        position ??= await begin()
        const earlyMs = nextAt - performance.now()
        if (from !== 'newest' && earlyMs > 0 && reader.hasAfter(position)) await delay(earlyMs)
        const messages = await reader.after(position)
        if (messages.length > 0) {
          nextAt = messages.length < MOST_EVENTS ? performance.now() + INTERVAL_MS : 0
          await receive({ topic, ...WHOLE_LOG, messages }, attempting)
          position = messages.at(-1)?.position ?? position
        } else {
          await atEnd?.(topic)
          if (!stopped) await woken.for(pollMs)
        }
        pauseMs = RETRY_MIN_MS
      } catch (error) {
        if (stopped) return
        if (error instanceof LogTruncated) {
          logger.fatal({ group, topic }, error.message)
          return onFatal(error)
        }
        reader.invalidate()
        logger.warn({ group, topic, err: (error as Error).message }, 'consumer interrupted, trying again')
        if (from !== 'newest') position = undefined
        await delay(pauseMs)
        pauseMs = Math.min(2 * pauseMs, RETRY_MAX_MS)
      }
    }
  })()

  return {
    lag: async () => (await reader.backlog(position ?? (await begin()))).events,
    sinceAttemptMs: () => performance.now() - attemptedAt,
    stop: async () => {
      stopped = true
      woken.wake()
      await running
      appends.off(topic, woken.wake)
    },
  }
}
