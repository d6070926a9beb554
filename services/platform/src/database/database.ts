import { SpanKind } from '@opentelemetry/api'
import type { EventData, EventDefinition } from '@prelude/contracts'
import pg, { type Connection } from 'pg'
import { inSpan, isTracing, type Logger } from '../observability/index.ts'
import { answersOf, answerWithinMs } from './answers.ts'
import { connectionOptions, poolerOptions, SESSION_LIMITS } from './connection.ts'
import { breaksConnection, portError, sqlState } from './errors.ts'
import type { Cause, Database, Query, Rows, TransactionOptions, Tx } from './port.ts'
import { statementName } from './statement-name.ts'

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

interface OpenTransaction {
  readonly tx: Tx
  /** Writes the events and commits, in one round trip. Errors: those of the events or of the commit. */
  commit(): Promise<Appended | undefined>
  rollback(): Promise<void>
  /** From here on `tx` refuses: the connection may be another caller's. */
  end(): void
}

/** Begins without waiting for the answer: a statement after a failed one fails too, and so does the commit. */
function openTransaction(
  connection: pg.PoolClient,
  { events, run, statementTimeoutMs: defaultMs }: Context,
  { statementTimeoutMs, onAnswer }: TransactionOptions,
): OpenTransaction {
  const drafts: Emitted[] = []
  let ended = false
  const assertOpen = (): void => {
    if (ended) throw new Error('this transaction has ended')
  }
  let failure: unknown
  const answer = answersOf(connection, statementTimeoutMs ?? defaultMs)
  const awaited = <T>(ask: () => Promise<T>): Promise<T> => answer(ask).finally(onAnswer)
  const command = (sql: string) => awaited(() => connection.query(sql))
  const send = async <R>(sql: string, params?: readonly unknown[]): Promise<Rows<R>> => {
    assertOpen()
    writeTogether(connection)
    try {
      return await awaited(() => run<R>(connection, sql, params))
    } catch (error) {
      // statements sent after it only say that the transaction had failed, and their callers may get that first
      failure ??= error
      throw failure
    }
  }
  const executed: Promise<unknown>[] = []
  const execute = (sql: string, params?: readonly unknown[]): void => {
    assertOpen()
    const answer = send(sql, params)
    answer.catch(() => {}) // awaited by the commit
    executed.push(answer)
  }
  const sendAhead = (sql: string): void => void command(sql).catch(() => {}) // the next statement fails as well
  writeTogether(connection)
  sendAhead('begin')
  if (statementTimeoutMs !== undefined) sendAhead(`set local statement_timeout = ${statementTimeoutMs}`)
  return {
    tx: {
      query: send,
      execute,
      emit: (event, data, cause) => {
        if (!events) throw new Error('this database has no event log')
        drafts.push(events.draft(event, data, cause))
      },
    },
    commit: async () => {
      writeTogether(connection)
      const appending = drafts.length > 0 ? events?.append({ query: send }, drafts) : undefined
      const committing = command('commit')
      committing.catch(() => {}) // awaited below, after the statements before it
      const [appended] = await Promise.all([appending, ...executed])
      const { command: outcome } = await committing
      // a transaction that failed before answers a commit with a rollback
      if (outcome !== 'COMMIT')
        throw new Error('a statement of this transaction had failed, it was rolled back')
      return appended
    },
    rollback: async () => void (await command('rollback')),
    end: () => {
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
