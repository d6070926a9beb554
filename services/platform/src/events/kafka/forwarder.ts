import { type EventEnvelope, ownerOf, type Topic } from '@prelude/contracts'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type Appended, connect } from '../../database/index.ts'
import { signal } from '../../wait.ts'
import { announcements, announcer } from '../announcements.ts'
import { CursorMoved, moveCursor, readCursor } from '../cursor.ts'
import { logReader, LogTruncated } from '../log-reader.ts'
import type { Publish, Publisher } from '../port.ts'

/** An append wakes the forwarder at once; the poll is for a lost announcement. */
const POLL_MS = 5_000
const LOCK_EVERY_MS = 1_000
const RETRY_MS = 500
/** How often the cursor is stored while events flow; else at the end of the log. Consumers drop events that are sent again. */
const CURSOR_EVERY_MS = 50

/** Sends events to a broker; resolves when it has stored them, in this order. */
export type Send = (topic: Topic, events: readonly EventEnvelope[]) => Promise<void>

/**
 * Forwards a service's event log to a broker in the order of positions: a consumer of the log like any other, whose
 * cursor moves after the broker's acknowledgement. A session lock keeps instances from forwarding the same events at the
 * same time; correctness does not depend on it, since consumers drop messages that their cursor has passed.
 */
export function startForwarder(
  { topic, db, databaseUrl, logger, onForwarded, onLead }: Publish,
  send: Send,
  { onFatal, exclusive = true }: { onFatal: (error: Error) => void; exclusive?: boolean },
): Publisher {
  const log = { topic, partition: 0, partitions: 1 }
  const self = randomUUID()
  const woken = signal()
  const reader = logReader(db, topic)
  const others = announcer(db, { self, topic, logger })
  const wake = (appended?: Appended): void => {
    reader.append(appended)
    woken.wake()
  }
  const options = { self, url: databaseUrl, schema: ownerOf(topic), logger }
  const listening = announcements({
    ...options,
    onAppended: (one) => void ((one ?? topic) === topic && wake()),
  })
  let stopped = false

  const forward = async (session: pg.Client): Promise<void> => {
    let lost: Error | undefined
    session.on('error', (error) => {
      lost = error
      woken.wake()
    })
    let stored = await readCursor(db, log)
    let sent = stored
    let unstored = 0
    let storedAt = performance.now()
    const store = async (): Promise<void> => {
      storedAt = performance.now()
      if (sent === stored) return
      await moveCursor(db, log, { from: stored, to: sent, taken: unstored })
      stored = sent
      unstored = 0
    }
    while (!stopped) {
      if (lost) throw lost
      const events = await reader.after(sent)
      if (events.length === 0) {
        await store()
        if (!(await woken.for(POLL_MS))) reader.markStale()
        continue
      }
      await send(topic, events)
      onForwarded?.(events.length)
      sent = events.at(-1)?.position ?? sent
      unstored += events.length
      if (performance.now() - storedAt >= CURSOR_EVERY_MS) await store()
    }
    await store()
  }

  const lead = async (): Promise<void> => {
    const session = await connect(databaseUrl, options.schema)
    try {
      while (exclusive && !stopped && !(await tryLock(session, topic))) await woken.for(LOCK_EVERY_MS)
      if (stopped) return
      onLead?.(true)
      await forward(session)
    } finally {
      onLead?.(false)
      await session.end().catch(() => {})
    }
  }

  const running = (async () => {
    while (!stopped) {
      try {
        await lead()
      } catch (error) {
        if (stopped) return
        if (error instanceof LogTruncated) {
          logger.fatal({ topic }, error.message)
          return onFatal(error)
        }
        reader.invalidate()
        const level = error instanceof CursorMoved ? 'info' : 'warn'
        logger[level]({ topic, err: (error as Error).message }, 'forwarder interrupted, trying again')
        await delay(RETRY_MS)
      }
    }
  })()

  return {
    wake: (appended) => {
      wake(appended)
      others.announce()
    },
    backlog: async () => reader.backlog(await readCursor(db, log)),
    stop: async () => {
      stopped = true
      woken.wake()
      await running
      await others.stop()
      await listening.stop()
    },
  }
}

async function tryLock(session: pg.Client, topic: Topic): Promise<boolean> {
  const { rows } = await session.query<{ held: boolean }>(
    'select pg_try_advisory_lock(hashtext($1)) as held',
    [`forwarder of ${topic}`],
  )
  return rows[0]?.held === true
}
