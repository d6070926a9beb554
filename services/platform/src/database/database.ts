import { SpanKind } from '@opentelemetry/api'
import pg, { type Connection } from 'pg'
import { currentContext } from '../observability/context.ts'
import { Unavailable } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../observability/logger.ts'
import { currentTraceparent, inSpan, isTracing } from '../observability/tracing.ts'
import type { Database, Rows, Tx } from './port.ts'
import { type Emitted, type Pending, writeEvents } from '../events/append.ts'
import { sharedReads } from './shared-reads.ts'
import { statementName } from './statement-name.ts'

export interface PostgresDatabase extends Database {
  /** Called after a transaction that emitted has committed. */
  onEmit(listener: (events: readonly Emitted[]) => void): void
  readonly pool: pg.Pool
}

export interface DatabaseOptions {
  readonly url: string
  /** Everything unqualified is found and made here. */
  readonly schema: string
  readonly logger: Logger
  readonly poolSize?: number
}

const INT8 = 20
const NUMERIC = 1700
const RETRIED = new Set(['40001', '40P01']) // serialization failure, deadlock: the loser simply runs again
const MAX_TRIES = 4
const LANES = 2

/** One parser for all connections: counters and money sums are safe integers, so they arrive as numbers. */
export const numberTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** `planner` settings are for connections that do one thing. */
export function connectionOptions(
  url: string,
  schema: string,
  planner: Readonly<Record<string, string>> = {},
): pg.ClientConfig {
  return {
    connectionString: url,
    options: [`search_path=${schema}`, ...Object.entries(planner).map((setting) => setting.join('='))]
      .map((setting) => `-c ${setting}`)
      .join(' '),
    types: numberTypes,
    application_name: `prelude-${schema}`,
    connectionTimeoutMillis: 2_500,
    keepAlive: true,
  }
}

/** PostgreSQL, one schema, every statement prepared once a connection. */
export function postgresDatabase(options: DatabaseOptions): PostgresDatabase {
  const { schema, logger } = options
  const pool = new pg.Pool({
    // every statement has its index; on a young table the planner would rather read all of it, and keep to that plan
    ...connectionOptions(options.url, schema, { enable_seqscan: 'off' }),
    max: options.poolSize ?? 8,
    idleTimeoutMillis: 30_000,
    pipeline: true, // what a transaction asks at once goes out at once, and is answered in that order
    query_timeout: 4_000, // on our side: a silent server must not hold a request
    statement_timeout: 4_000,
    idle_in_transaction_session_timeout: 30_000,
  })
  // without a listener an idle connection that the server closes ends the process
  pool.on('error', (error) => logger.warn({ schema, err: error.message }, 'idle database connection lost'))
  // and a connection in use has none of the pool's: its query rejects, the event itself must not end the process
  pool.on('connect', (client) => {
    client.on('error', (error) => logger.debug({ schema, err: error.message }, 'database connection lost'))
  })
  const emitListeners: ((events: readonly Emitted[]) => void)[] = []
  const share = sharedReads(pool, LANES, isConnectionLoss)

  const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await runOnce(pool, work, emitListeners)
      } catch (error) {
        if (!RETRIED.has(sqlState(error) ?? '') || attempt >= MAX_TRIES) throw asUnavailable(error)
      }
    }
  }

  const query = async <R>(sql: string, params?: readonly unknown[]) => {
    try {
      return await run<R>(pool, sql, params)
    } catch (error) {
      throw asUnavailable(error)
    }
  }
  const read = async <R>(sql: string, params?: readonly unknown[]) => {
    try {
      return await share((connection) => {
        writeTogether(connection)
        return run<R>(connection, sql, params)
      })
    } catch (error) {
      throw asUnavailable(error)
    }
  }

  return {
    pool,
    transaction,
    query,
    reads: { query: read },
    onEmit: (listener) => emitListeners.push(listener),
    close: () => pool.end(),
  }
}

async function runOnce<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  emitListeners: readonly ((events: readonly Emitted[]) => void)[],
): Promise<T> {
  const connection = await pool.connect()
  let broken: Error | undefined
  const open = transactionOn(connection)
  try {
    // none of these waits for the one before: a statement after a failed one fails too, and so does the commit
    writeTogether(connection)
    const began = connection.query('begin')
    began.catch(() => {}) // told by what follows, which fails as well
    const result = await work(open.tx)
    writeTogether(connection)
    const emitting = open.flush()
    const emitted = await commit(connection, emitting)
    if (emitted) for (const listener of emitListeners) listener(emitted)
    return result
  } catch (error) {
    open.end()
    await connection.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    if (isConnectionLoss(error)) broken = error as Error
    throw error
  } finally {
    open.end()
    connection.release(broken)
  }
}

/** Errors: that of the events before it, or its own. A transaction that failed before answers a commit with a rollback. */
async function commit<T>(connection: pg.PoolClient, emitting: Promise<T> | null): Promise<T | null> {
  const committing = connection.query('commit')
  committing.catch(() => {})
  const emitted = await emitting
  const { command } = await committing
  if (command !== 'COMMIT') throw new Error('a statement of this transaction had failed, it was rolled back')
  return emitted
}

interface OpenTransaction {
  readonly tx: Tx
  /** Sends the events, if there are any. */
  flush(): Promise<readonly Emitted[]> | null
  /** From here on `tx` refuses: the connection may be somebody else's. */
  end(): void
}

function transactionOn(connection: pg.PoolClient): OpenTransaction {
  const pending: Pending[] = []
  let ended = false
  const tx: Tx = {
    query: (sql, params) => {
      if (ended) return Promise.reject(new Error('this transaction has ended'))
      writeTogether(connection)
      return run(connection, sql, params)
    },
    emit: (event, data) => {
      const correlationId = currentContext()?.correlationId ?? newId()
      pending.push({ event, data, correlationId, traceparent: currentTraceparent() })
    },
  }
  return {
    tx,
    flush: () =>
      pending.length === 0 ? null : writeEvents(pending, (sql, params) => run(connection, sql, params)),
    end: () => {
      ended = true
    },
  }
}

async function run<R>(
  on: pg.Pool | pg.PoolClient,
  sql: string,
  params: readonly unknown[] | undefined,
): Promise<Rows<R>> {
  const name = statementName(sql)
  const ask = () => on.query({ name, text: sql, values: (params ?? []) as unknown[] })
  const result = isTracing() ? await inSpan(`postgres ${verbOf(sql)}`, POSTGRES, ask) : await ask()
  return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 }
}

const POSTGRES = { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql' } }
const verbOf = (sql: string): string => /\w+/.exec(sql)?.[0].toLowerCase() ?? ''

/** What is asked within one turn goes to the server in one write: a write of its own costs more than a small statement. */
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

const sqlState = (error: unknown): string | undefined =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

/** Connection refused or lost, server starting or stopping, too many connections, or no answer in time. */
export function isConnectionLoss(error: unknown): boolean {
  const state = sqlState(error) ?? ''
  if (/^(08...|57P0.|57014|53300|25P03|E[A-Z]+)$/.test(state)) return true
  const message = error instanceof Error ? error.message : ''
  return /timeout|Connection terminated|connection error|Client has encountered|Query read/i.test(message)
}

const asUnavailable = (error: unknown): unknown =>
  isConnectionLoss(error) ? new Unavailable('the database', error) : error
