import { type EventEnvelope, ownerOf, type ServiceName, type Topic } from '@prelude/contracts'
import { setTimeout as delay } from 'node:timers/promises'
import type { Appended, Query } from '../database/index.ts'
import { type Backlog, MOST_EVENTS } from './port.ts'

const MOST_READ = MOST_EVENTS
const MOST_COUNTED = 10_000
/** Events kept in memory, for consumers that are at most so far behind; others read from the table. */
const MOST_RECENT = 2_000
/** A consumer of the newest starts so many positions back: it also gets events committed while it started. */
const REWIND = 200
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 25

/** An event that was read is no longer in the log: a failover or a restore has lost it. */
export class LogTruncated extends Error {
  override readonly name = 'LogTruncated'
  constructor(topic: Topic, position: number) {
    super(
      `The event log of ${ownerOf(topic)} has lost the event at position ${position}, which was read from it, by a failover or a restore: see "A log that lost events" in docs/repairs.md; with a broker stop all services and run "prelude after-recovery".`,
    )
  }
}

/** Reads the event log of one service in the order of positions, without holes. */
export interface LogReader {
  /** At most 250 events after this position. No event before them can still be committed. Errors: LogTruncated. */
  after(position: number): Promise<readonly EventEnvelope[]>
  /** Something may have been appended: the next call reads the table again. */
  markStale(): void
  /** This process has committed these events: they are delivered from memory where they follow the last one that was read. */
  append(appended?: Appended): void
  /** After an error, which may be a failover: the next call reads the table before it answers from memory. */
  invalidate(): void
  /** A position shortly before the end of the log, all of whose predecessors are final. */
  newest(): Promise<number>
  /** How many events follow this position, at most 10,000 are counted, and when the first one was emitted. */
  backlog(position: number): Promise<Backlog>
}

/** Missing positions that were seen: up to `position`, none is drawn any more once all transactions below `xid` have ended. */
interface Hole {
  readonly position: number
  readonly xid: number
}

type Row = Omit<EventEnvelope, 'topic' | 'for' | 'traceparent'> & {
  for: readonly ServiceName[] | null
  traceparent: string | null
  oldestXid: number
  /** Of the whole log, as far as it is visible. */
  lastPosition: number
}

const COLUMNS = `position, id, key, type, version, "for", at, correlation_id as "correlationId", traceparent, data,
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "oldestXid"`

/**
 * The rows up to the first missing position after `from`; up to `settled` a missing position does not exist. They are sorted.
 */
export function contiguous<R extends { readonly position: number }>(
  rows: readonly R[],
  from: number,
  settled: number,
): readonly R[] {
  let end = from
  const hole = rows.findIndex(({ position }) => {
    if (position !== end + 1 && position > settled) return true
    end = position
    return false
  })
  return hole < 0 ? rows : rows.slice(0, hole)
}

/** At least `most` of the newest events that were read, without holes, for consumers that are at most so far behind. */
function recentEvents(most: number) {
  let events: EventEnvelope[] = []
  return {
    add: (more: readonly EventEnvelope[]): void => {
      events.push(...more)
      if (events.length > 2 * most) events = events.slice(-most)
    },
    clear: (): void => {
      events = []
    },
    /** At most `limit` events after this position; null when they do not begin there. */
    after: (position: number, limit: number): readonly EventEnvelope[] | null => {
      const [first] = events
      // positions missing before the first of these were removed or rolled back
      if (!first || position < first.position - 1) return null
      const start = events.findLastIndex((event) => event.position <= position) + 1 // near the end, as a rule
      return events.slice(start, start + limit)
    },
  }
}

/**
 * One reader a topic and process, shared by its consumers: `head` is the position up to which the log is final.
 *
 * A missing position is a transaction still under way or one that was rolled back. Every transaction has its id before it
 * draws a position (append_events). So a transaction that drew a position below a visible one has a lower id than one assigned
 * now. When no transaction with a lower id is open any more, the missing positions are read once more: what is still
 * missing does not exist. (`pg_snapshot_xmax` would not do instead of a new id: it is the id after the last *completed*
 * transaction, and open ones can lie beyond it.)
 */
export function logReader(db: Query, topic: Topic): LogReader {
  const log = `${ownerOf(topic)}.event`
  let head: number | undefined
  /** The id of the event at `head`; undefined when that position came from a consumer. */
  let last: string | undefined
  const recent = recentEvents(MOST_RECENT)
  let stale = true
  /** Counts invalidations. `verified`: the count when the last successful read of the table began. */
  let invalidated = 0
  let verified = 0
  let hole: Hole | undefined
  let pauseMs = FIRST_PAUSE_MS
  let advancing: Promise<void> | undefined

  const eventOf = ({
    oldestXid: _xid,
    lastPosition: _last,
    for: services,
    traceparent,
    ...event
  }: Row): EventEnvelope => ({
    ...event,
    topic,
    ...(services !== null && { for: services }),
    ...(traceparent !== null && { traceparent }),
  })
  /**
   * The row at `from`, if it is there, and the next ones, at most up to `to`, however many positions are missing before them.
   * One statement, so one snapshot: which rows are visible and which transactions are open is seen at the same moment. With
   * both bounds the index is used, also by a plan that was made while the table was small.
   */
  const read = async (
    from: number,
    to: number,
  ): Promise<{ first?: Row | undefined; rows: readonly Row[] }> => {
    const sql = `with next as (select position from ${log} where position > $1 order by position limit 1)
      select ${COLUMNS}, (select max(position) from ${log}) as "lastPosition" from ${log}
      where position >= $1 and position <= least($2, (select position from next) + ${MOST_READ - 1}) order by position`
    const { rows } = await db.query<Row>(sql, [from, to])
    return rows[0]?.position === from ? { first: rows[0], rows: rows.slice(1) } : { rows }
  }
  /** Whether the event at a position that was read is gone while older ones are there: the log is removed from its beginning on. */
  const isTruncated = async (position: number): Promise<boolean> => {
    const sql = `select position from ${log} where position < $1 limit 1`
    return (await db.query(sql, [position])).rows.length > 0
  }
  /** Its own id, once assigned, is higher than that of every transaction that drew a position before. */
  const assignXid = async (): Promise<number> => {
    const sql = 'select pg_current_xact_id()::text::bigint as xid'
    return (await db.query<{ xid: number }>(sql)).rows[0]?.xid ?? Number.MAX_SAFE_INTEGER
  }

  const oldestXid = async (): Promise<number> => {
    const sql = 'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xid'
    return (await db.query<{ xid: number }>(sql)).rows[0]?.xid ?? 0
  }

  const advance = async (): Promise<void> => {
    stale = false
    const before = invalidated
    const from = head ?? 0
    const { first, rows } = await read(from, Number.MAX_SAFE_INTEGER)
    const isLost = last !== undefined && last !== first?.id && (first || (await isTruncated(from)))
    if ((head ?? 0) !== from) {
      stale = true // raised meanwhile
      return
    }
    if (isLost) throw new LogTruncated(topic, from)
    verified = before
    const settled = hole && rows[0] && rows[0].oldestXid >= hole.xid ? hole.position : 0
    const final = contiguous(rows, from, settled)
    const end = final.at(-1)?.position ?? from
    recent.add(final.map(eventOf))
    head = end
    last = (final.at(-1) ?? first)?.id
    const beyond = rows.at(-1)?.position ?? end
    if (beyond === end) {
      hole = undefined
      pauseMs = FIRST_PAUSE_MS
      if (end < (rows[0]?.lastPosition ?? end)) stale = true
      return
    }
    stale = true
    if (hole === undefined || end > from) {
      const xid = await assignXid()
      // a hole that is passed meanwhile is no longer of use, nor is the one before it
      hole = head === end ? { position: beyond, xid } : undefined
      return
    }
    await delay(pauseMs)
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }

  /** A position that a consumer has reached is final, also when another reader read up to it. */
  const raiseTo = (position: number): void => {
    if (head !== undefined && position <= head) return
    head = position
    last = undefined
    recent.clear()
    hole = undefined
    stale = true
  }

  return {
    after: async (position) => {
      raiseTo(position)
      while ((stale || advancing) && (verified < invalidated || position >= (head ?? 0))) {
        advancing ??= advance()
          .catch((error: unknown) => {
            stale = true
            throw error
          })
          .finally(() => (advancing = undefined))
        await advancing
      }
      if (position >= (head ?? 0)) return []
      return recent.after(position, MOST_READ) ?? (await read(position, head ?? 0)).rows.map(eventOf)
    },
    markStale: () => {
      stale = true
    },
    append: (appended) => {
      // the event before them is the last one that was read, by its id: so it is the same log, also after a failover, and no
      // position between them can still appear
      if (!appended || appended.before !== last) {
        stale = true
        return
      }
      const { events, last: position } = appended
      const first = position - events.length + 1
      const added = events.map(({ json }, index) => ({
        ...(JSON.parse(json) as Omit<EventEnvelope, 'topic' | 'position'>),
        topic,
        position: first + index,
      }))
      recent.add(added)
      head = position
      last = added.at(-1)?.id
    },
    invalidate: () => {
      stale = true
      invalidated += 1
    },
    newest: async () => {
      const sql = `select coalesce(max(position), 0) as last from ${log}`
      const last = (await db.query<{ last: number }>(sql)).rows[0]?.last ?? 0
      const xid = await assignXid()
      while ((await oldestXid()) < xid) await delay(LONGEST_PAUSE_MS)
      return Math.max(0, last - REWIND)
    },
    backlog: async (position) => {
      const { rows } = await db.query<Backlog>(
        `select count(*) as events, min(at) as "oldestAt"
         from (select at from ${log} where position > $1 order by position limit $2) waiting`,
        [position, MOST_COUNTED],
      )
      return rows[0] ?? { events: 0, oldestAt: null }
    },
  }
}
