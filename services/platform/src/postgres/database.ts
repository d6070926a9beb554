import pg from 'pg'
import type { EventDefinition } from '@prelude/contracts'
import { currentContext } from '../context.ts'
import { Unavailable } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Database, Rows, Tx } from '../ports.ts'
import { statementName } from './statement-name.ts'

export interface PostgresDatabase extends Database {
  /** Called after a transaction that emitted has committed. */
  onEmit(listener: () => void): void
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

/** One parser for all connections: counters and money sums are safe integers, so they arrive as numbers. */
export const numberTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

export function connectionOptions(url: string, schema: string): pg.ClientConfig {
  return {
    connectionString: url,
    options: `-c search_path=${schema}`,
    types: numberTypes,
    application_name: `prelude-${schema}`,
    connectionTimeoutMillis: 2_500,
    keepAlive: true,
  }
}

/** PostgreSQL over TCP, one schema, every statement prepared once a connection. */
export function postgresDatabase(options: DatabaseOptions): PostgresDatabase {
  const { schema, logger } = options
  const pool = new pg.Pool({
    ...connectionOptions(options.url, schema),
    max: options.poolSize ?? 8,
    idleTimeoutMillis: 30_000,
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
  const emitListeners: (() => void)[] = []

  const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await runOnce(pool, work, emitListeners)
      } catch (error) {
        if (!RETRIED.has(sqlState(error) ?? '') || attempt >= MAX_TRIES) throw asUnavailable(error)
      }
    }
  }

  return {
    pool,
    transaction,
    query: async <R>(sql: string, params?: readonly unknown[]) => {
      try {
        return await run<R>(pool, sql, params)
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    onEmit: (listener) => emitListeners.push(listener),
    close: () => pool.end(),
  }
}

async function runOnce<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  emitListeners: (() => void)[],
): Promise<T> {
  const connection = await pool.connect()
  let broken: Error | undefined
  try {
    await connection.query('begin')
    const { tx, flush } = transactionOn(connection)
    const result = await work(tx)
    const emitted = await flush()
    await connection.query('commit')
    if (emitted) for (const listener of emitListeners) listener()
    return result
  } catch (error) {
    await connection.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    if (isConnectionLoss(error)) broken = error as Error
    throw error
  } finally {
    connection.release(broken)
  }
}

interface Pending {
  readonly event: EventDefinition
  readonly data: { uid: string }
}

function transactionOn(connection: pg.PoolClient): { tx: Tx; flush: () => Promise<boolean> } {
  const pending: Pending[] = []
  const tx: Tx = {
    query: (sql, params) => run(connection, sql, params),
    emit: (event, data) => {
      pending.push({ event, data })
    },
  }
  const flush = async (): Promise<boolean> => {
    if (pending.length === 0) return false
    const at = Date.now()
    const correlationId = currentContext()?.correlationId ?? newId()
    const events = pending.map(({ event, data }) => ({
      event_id: newId(),
      topic: event.topic,
      key: data.uid,
      type: event.type,
      version: event.version,
      at,
      correlation_id: correlationId,
      data,
    }))
    await run(connection, 'select outbox_emit($1::jsonb)', [JSON.stringify(events)])
    return true
  }
  return { tx, flush }
}

async function run<R>(
  on: pg.Pool | pg.PoolClient,
  sql: string,
  params: readonly unknown[] | undefined,
): Promise<Rows<R>> {
  const result = await on.query({ name: statementName(sql), text: sql, values: (params ?? []) as unknown[] })
  return { rows: result.rows as R[], rowCount: result.rowCount ?? 0 }
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
