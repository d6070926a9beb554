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
/** Beyond any position. */
const END_OF_LOG = Number.MAX_SAFE_INTEGER
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 25

/** An event that was read is no longer in the log: a failover or a restore has lost it. */
export class LogTruncated extends Error {
  override readonly name = 'LogTruncated'
  constructor(topic: Topic, position: number) {
    super(
      `The event log of ${ownerOf(topic)} has lost the event at position ${position}, which was read from it, by a failover or a restore: see "A log that lost events" in docs/operations/repairs.md; with a broker stop all services and run "prelude after-recovery".`,
    )
  }
}

export type LogReader = ReturnType<typeof logReader>

/** A position is missing below `position`. When every transaction with an id below `xid` has ended, the gap is final. */
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

/** Sorted rows, cut at the first gap after `from`. Gaps at or below `settled` are final and are skipped. */
function contiguous<R extends { readonly position: number }>(
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

type Seen = Pick<Row, 'position' | 'oldestXid' | 'lastPosition'>

interface Step<R> {
  readonly final: readonly R[]
  /** The last position that was read. */
  readonly seen: number
  /**
   * `rest`: all that is visible is final. `read`: there is more to read. `hole`: there is a new gap, so note which transactions
   * are open. `wait`: one of those that were noted is open still.
   */
  readonly next: 'rest' | 'read' | 'hole' | 'wait'
}

/** Which of the rows after `from` are final, and what the reader does next. One snapshot has shown all of them. */
export function stepOf<R extends Seen>(from: number, hole: Hole | undefined, rows: readonly R[]): Step<R> {
  const [first] = rows
  if (!first) return { final: [], seen: from, next: 'rest' }
  const settled = hole && first.oldestXid >= hole.xid ? hole.position : 0
  const final = contiguous(rows, from, settled)
  const end = final.at(-1)?.position ?? from
  const seen = rows.at(-1)?.position ?? from
  if (end < seen) return { final, seen, next: hole === undefined || end > from ? 'hole' : 'wait' }
  return { final, seen, next: end < first.lastPosition ? 'read' : 'rest' }
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
 * Reads the event log of one service in the order of positions, without holes. One reader a topic and process, shared by its
 * consumers.
 *
 * A missing position is a transaction still under way or one that was rolled back. Every transaction has its id before it
 * draws a position (append_events). So a transaction that drew a position below a visible one has a lower id than one assigned
 * now. When no transaction with a lower id is open any more, the missing positions are read once more: what is still
 * missing does not exist. (`pg_snapshot_xmax` would not do instead of a new id: it is the id after the last *completed*
 * transaction, and open ones can lie beyond it.)
 */
export function logReader(db: Query, topic: Topic) {
  const log = `${ownerOf(topic)}.event`
  /** The log is final up to this position. `id`: of the event there; undefined when the position came from a consumer. */
  let head: { readonly position: number; readonly id: string | undefined } = { position: 0, id: undefined }
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
   * The row at `from`, if it is there, and the next ones, at most up to `to`, however many positions are missing before
   * them. It must stay one statement, so one snapshot: which rows are visible and which transactions are open is seen at
   * the same moment; with two, events are lost (decision 21). With both bounds the index is used, also by a plan that was made
   * while the table was small.
   */
  const read = async (
    from: number,
    to: number = END_OF_LOG,
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

  /** Notes that the gap below `seen` is final once all transactions that are open now have ended. */
  const noteHole = async (seen: number): Promise<void> => {
    const before = head
    const xid = await assignXid()
    // a gap that was passed meanwhile is no longer of use, nor is the one before it
    hole = head === before ? { position: seen, xid } : undefined
  }

  const advance = async (): Promise<void> => {
    stale = false
    const [before, counted] = [head, invalidated]
    const { first, rows } = await read(before.position)
    const isOther = before.id !== undefined && before.id !== first?.id
    const isLost = isOther && (first !== undefined || (await isTruncated(before.position)))
    if (head !== before) {
      stale = true // moved meanwhile
      return
    }
    if (isLost) throw new LogTruncated(topic, before.position)
    verified = counted
    const { final, seen, next } = stepOf(before.position, hole, rows)
    recent.add(final.map(eventOf))
    const end = final.at(-1) ?? first
    head = { position: end?.position ?? before.position, id: end?.id }
    if (next !== 'rest') stale = true
    if (next === 'hole') return noteHole(seen)
    if (next === 'wait') {
      await delay(pauseMs)
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
    } else {
      hole = undefined
      pauseMs = FIRST_PAUSE_MS
    }
  }

  /** A position that a consumer has reached is final, also when another reader read up to it. */
  const raiseTo = (position: number): void => {
    if (position <= head.position) return
    head = { position, id: undefined }
    recent.clear()
    hole = undefined
    stale = true
  }

  return {
    /** Whether events may follow this position: they are in memory, or the table is to be read or being read. */
    hasAfter: (position: number): boolean => stale || advancing !== undefined || position < head.position,
    /** At most 250 events after this position. No event before them can still be committed. Errors: LogTruncated. */
    after: async (position: number): Promise<readonly EventEnvelope[]> => {
      raiseTo(position)
      while ((stale || advancing) && (verified < invalidated || position >= head.position)) {
        advancing ??= advance()
          .catch((error: unknown) => {
            stale = true
            throw error
          })
          .finally(() => (advancing = undefined))
        await advancing
      }
      if (position >= head.position) return []
      return recent.after(position, MOST_READ) ?? (await read(position, head.position)).rows.map(eventOf)
    },
    /** Something may have been appended: the next call reads the table again. */
    markStale: (): void => {
      stale = true
    },
    /** This process has committed these events: they are delivered from memory where they follow the last one that was read. */
    append: (appended?: Appended): void => {
      // the event before them is the last one that was read, by its id: so it is the same log, also after a failover, and no
      // position between them can still appear
      if (!appended || appended.before !== head.id) {
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
      head = { position, id: added.at(-1)?.id }
    },
    /** After an error, which may be a failover: the next call reads the table before it answers from memory. */
    invalidate: (): void => {
      stale = true
      invalidated += 1
    },
    /** A position shortly before the end of the log, all of whose predecessors are final. */
    newest: async (): Promise<number> => {
      const sql = `select coalesce(max(position), 0) as last from ${log}`
      const last = (await db.query<{ last: number }>(sql)).rows[0]?.last ?? 0
      const xid = await assignXid()
      while ((await oldestXid()) < xid) await delay(LONGEST_PAUSE_MS)
      return Math.max(0, last - REWIND)
    },
    /** How many events follow this position, at most 10,000 are counted, and when the first one was emitted. */
    backlog: async (position: number): Promise<Backlog> => {
      const { rows } = await db.query<Backlog>(
        `select count(*) as events, min(at) as "oldestAt"
         from (select at from ${log} where position > $1 order by position limit $2) waiting`,
        [position, MOST_COUNTED],
      )
      return rows[0] ?? { events: 0, oldestAt: null }
    },
  }
}
