import { createHash } from 'node:crypto'
import { SpanKind } from '@opentelemetry/api'
import type { EventData, EventDefinition } from '@prelude/contracts'
import pg, { type Connection } from 'pg'
import { inSpan, isTracing, type Logger } from '../observability/index.ts'
import { answersOf, answerWithinMs } from './answers.ts'
import { connectionOptions, poolerOptions, SESSION_LIMITS } from './connection.ts'
import { breaksConnection, portError, sqlState } from './errors.ts'
import type { Cause, Database, Query, Rows, TransactionOptions, Tx } from './port.ts'

/** An event that a transaction has emitted. */
export interface Emitted {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  /** Its envelope without topic and position. */
  readonly json: string
}

/** The events of a transaction that has committed. */
export interface Appended {
  readonly events: readonly Emitted[]
  /** The position of the last one. */
  readonly last: number
  /** The id of the event before them, if that was committed by then and their positions follow one another. */
  readonly before: string | null
}

/** How the events of a transaction are written: by one statement, sent together with the commit. */
export interface EventWriter {
  draft<E extends EventDefinition>(event: E, data: EventData<E> & { uid: string }, cause?: Cause): Emitted
  /** Sends the statement at once. */
  append(db: Query, events: readonly Emitted[]): Promise<Appended>
}

export interface PostgresDatabase extends Database {
  /** Called after a transaction that emitted has committed. */
  onEmit(listener: (appended: Appended) => void): void
  readonly pool: pg.Pool
}

export interface DatabaseOptions {
  readonly url: string
  /** Everything unqualified is found and made here. */
  readonly schema: string
  readonly logger: Logger
  /** A transaction pooler in front of the same database: the pool connects to it. */
  readonly poolerUrl?: string | null | undefined
  readonly poolSize?: number
  /** The server's limit of each statement, 4 s if not given. */
  readonly statementTimeoutMs?: number
  /** Without it, a transaction cannot emit. */
  readonly events?: EventWriter
}

const RETRIED = new Set(['40001', '40P01']) // serialization failure, deadlock: the loser runs again
const MAX_TRIES = 4
/** Connections of one instance of a service, beside those that hold a lock or listen. */
export const POOL_SIZE = 8

/** PostgreSQL, one schema, every statement prepared once a connection where there is no pooler. */
export function postgresDatabase(options: DatabaseOptions): PostgresDatabase {
  const { url, schema, logger, events, poolerUrl = null } = options
  const statementTimeoutMs = options.statementTimeoutMs ?? SESSION_LIMITS.statement_timeout
  const run = runner(poolerUrl === null)
  const context = { events, run, statementTimeoutMs }
  const pool = new pg.Pool({
    ...(poolerUrl === null
      ? { ...connectionOptions(url, schema), ...SESSION_LIMITS, statement_timeout: statementTimeoutMs }
      : poolerOptions(poolerUrl, schema)),
    max: options.poolSize ?? POOL_SIZE,
    idleTimeoutMillis: 30_000,
    pipeline: true, // statements of a transaction are sent without waiting for the one before, and answered in order
  })
  // without a listener an idle connection that the server closes ends the process
  pool.on('error', (error) => logger.warn({ schema, err: error.message }, 'idle database connection lost'))
  // and a connection in use has none of the pool's: its query rejects, the event itself must not end the process
  pool.on('connect', (client) => {
    client.on('error', (error) => logger.debug({ schema, err: error.message }, 'database connection lost'))
  })
  const listeners: ((appended: Appended) => void)[] = []
  /** The transaction has committed: an error of a listener is no error of the transaction. */
  const announce = (appended: Appended): void => {
    for (const listener of listeners)
      try {
        listener(appended)
      } catch (error) {
        logger.error({ schema, err: error }, 'a listener to emitted events failed')
      }
  }

  return {
    pool,
    transaction: async (work, limits = {}) => {
      for (let attempt = 1; ; attempt++) {
        try {
          const { result, appended } = await runOnce(pool, context, work, limits)
          if (appended) announce(appended)
          return result
        } catch (error) {
          if (!RETRIED.has(sqlState(error) ?? '') || attempt >= MAX_TRIES) throw portError(error)
        }
      }
    },
    query: async <R>(sql: string, params?: readonly unknown[]) => {
      try {
        // alone on its connection, so that pg's own limit will do
        return await run<R>(pool, sql, params, { query_timeout: answerWithinMs(statementTimeoutMs) })
      } catch (error) {
        throw portError(error)
      }
    },
    onEmit: (listener) => listeners.push(listener),
    close: () => pool.end(),
  }
}

interface Context {
  readonly events: EventWriter | undefined
  readonly run: Run
  readonly statementTimeoutMs: number
}

async function runOnce<T>(
  pool: pg.Pool,
  context: Context,
  work: (tx: Tx) => Promise<T>,
  limits: TransactionOptions,
): Promise<{ result: T; appended: Appended | undefined }> {
  const connection = await pool.connect()
  let broken: Error | undefined
  const open = openTransaction(connection, context, limits)
  try {
    const result = await work(open.tx)
    const appended = await open.commit()
    return { result, appended }
  } catch (error) {
    open.end()
    await open.rollback().catch((rollbackError: Error) => {
      broken = rollbackError
    })
    if (breaksConnection(error)) broken = error as Error
    throw error
  } finally {
    open.end()
    connection.release(broken)
  }
}

/**
 * Reports the first failure for each statement that fails after it: of those the server only says that the transaction had
 * failed, and their callers may get that first.
 */
export function firstFailure(): <T>(answer: Promise<T>) => Promise<T> {
  let first: { readonly error: unknown } | undefined
  return async (answer) => {
    try {
      return await answer
    } catch (error) {
      first ??= { error }
      throw first.error
    }
  }
}

/** Errors: the server answers the commit of a transaction that has failed with a rollback, which is no error to it. */
export function assertCommitted(answer: string): void {
  if (answer !== 'COMMIT') throw new Error('a statement of this transaction had failed, it was rolled back')
}

/**
 * Statements are sent without waiting for the answers of those before, and answered in order (pg's pipeline). After one that
 * failed the server runs none until the transaction ends: so no answer has to be awaited before the commit is sent.
 */
function openTransaction(
  connection: pg.PoolClient,
  { events, run, statementTimeoutMs: defaultMs }: Context,
  { statementTimeoutMs, onAnswer }: TransactionOptions,
) {
  const withinLimit = answersOf(connection, statementTimeoutMs ?? defaultMs)
  const reported = firstFailure()
  const drafts: Emitted[] = []
  const unawaited: Promise<unknown>[] = []
  let ended = false

  const send = <T>(statement: () => Promise<T>): Promise<T> => {
    writeTogether(connection)
    return reported(withinLimit(statement).finally(onAnswer))
  }
  /** Its failure is that of a statement after it, or of the commit. */
  const sendAhead = (statement: () => Promise<unknown>): void => {
    const answer = send(statement)
    answer.catch(() => {})
    unawaited.push(answer)
  }
  const statement = <R>(sql: string, params?: readonly unknown[]): (() => Promise<Rows<R>>) => {
    if (ended) throw new Error('this transaction has ended')
    return () => run<R>(connection, sql, params)
  }
  const query: Query['query'] = async <R>(sql: string, params?: readonly unknown[]) =>
    send(statement<R>(sql, params))

  sendAhead(() => connection.query('begin'))
  if (statementTimeoutMs !== undefined)
    sendAhead(() => connection.query(`set local statement_timeout = ${statementTimeoutMs}`))
  return {
    tx: {
      query,
      execute: (sql, params) => sendAhead(statement(sql, params)),
      emit: (event, data, cause) => {
        if (!events) throw new Error('this database has no event log')
        drafts.push(events.draft(event, data, cause))
      },
    } satisfies Tx,
    /** Writes the events and commits, in one round trip. Errors: those of the events or of the commit. */
    commit: async (): Promise<Appended | undefined> => {
      const appending = drafts.length > 0 ? events?.append({ query }, drafts) : undefined
      const committing = send(() => connection.query('commit'))
      const [{ command }, appended] = await Promise.all([committing, appending, ...unawaited])
      assertCommitted(command)
      return appended
    },
    rollback: async (): Promise<void> => void (await withinLimit(() => connection.query('rollback'))),
    /** From here on `tx` refuses: the connection may be another caller's. */
    end: (): void => {
      ended = true
    },
  }
}

type Run = <R>(
  on: pg.Pool | pg.PoolClient,
  sql: string,
  params: readonly unknown[] | undefined,
  limits?: { readonly query_timeout: number },
) => Promise<Rows<R>>

const names = new Map<string, string>()

/** A stable name for a statement's text, so that each connection parses and plans it once. */
function statementName(sql: string): string {
  const name = names.get(sql) ?? createHash('sha1').update(sql).digest('base64url')
  names.set(sql, name)
  return name
}

/** A prepared statement belongs to a session, and behind a transaction pooler the next transaction may have another one. */
const runner =
  (prepares: boolean): Run =>
  async <R>(
    on: pg.Pool | pg.PoolClient,
    sql: string,
    params: readonly unknown[] = [],
    limits?: { readonly query_timeout: number },
  ) => {
    const config = {
      ...(prepares && { name: statementName(sql) }),
      text: sql,
      values: params as unknown[],
      ...limits,
    }
    const ask = () => on.query(config)
    const result = isTracing() ? await inSpan(`postgres ${verbOf(sql)}`, POSTGRES, ask) : await ask()
    return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 }
  }

const POSTGRES = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } }
const verbOf = (sql: string): string => /\w+/.exec(sql)?.[0].toLowerCase() ?? ''

/** Corks the socket for one tick, so that pipelined statements leave in one write. */
function writeTogether(connection: pg.PoolClient): void {
  const { stream } = connection.connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

declare module 'pg' {
  interface ClientBase {
    /** Its types are those of Client alone. */
    readonly connection: Connection
  }
}
