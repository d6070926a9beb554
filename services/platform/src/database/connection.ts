import pg from 'pg'
import { answerWithinMs } from './answers.ts'
import type { Query } from './port.ts'

const INT8 = 20
const NUMERIC = 1700

/** One parser for all connections: counters and money sums are safe integers, so they arrive as numbers. */
export const numberTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/**
 * The server ends a session whose client's host has vanished within about 25 s, and with it the session's locks; the
 * defaults of Linux keep it for 15 minutes to 2 hours. Sessions on a Unix socket ignore these settings.
 */
const DEAD_PEER = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '20000',
}

/**
 * A statement is planned once a session, not once for each value: planning took longer than running those with a few ids. So
 * no condition may be there for some values only (`$1 is null or …`), where an index should serve it. Without a value, `limit $1`
 * is planned as a tenth of all rows, which from some ten thousand on would have each list compiled before it runs (`jit`).
 */
export const PLANNING = { plan_cache_mode: 'force_generic_plan', jit: 'off' }

/** Of a service's statements and transactions, in ms. */
export const SESSION_LIMITS = { statement_timeout: 4_000, idle_in_transaction_session_timeout: 30_000 }

/** What every connection to the database has in common. Everything unqualified is found in `schema`. */
export const connectionOptions = (url: string, schema: string): pg.ClientConfig => ({
  ...commonOptions(url, { search_path: schema, ...PLANNING }),
  application_name: `prelude-${schema}`,
})

/** A transaction pooler refuses settings of a session: those of the role apply (`migrate`). */
export const poolerOptions = (url: string, schema: string): pg.ClientConfig => ({
  ...socketOptions(url),
  application_name: `prelude-${schema}`,
})

const commonOptions = (url: string, settings: Readonly<Record<string, string>>): pg.ClientConfig => ({
  ...socketOptions(url),
  options: Object.entries({ ...settings, ...DEAD_PEER })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
})

const socketOptions = (url: string): pg.ClientConfig => ({
  connectionString: url,
  types: numberTypes,
  connectionTimeoutMillis: 2_500,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
})

/** A connection of a service beside its pool: for a lock of the session, LISTEN, or a limit of its own. Nothing may be pipelined on it. */
export const connect = (
  url: string,
  schema: string,
  statementTimeoutMs = SESSION_LIMITS.statement_timeout,
): Promise<pg.Client> =>
  opened({
    ...connectionOptions(url, schema),
    statement_timeout: statementTimeoutMs,
    query_timeout: answerWithinMs(statementTimeoutMs),
  })

/** A connection as the database's owner. It has no service's name, by which running services are found. */
export const connectAsOwner = (adminUrl: string): Promise<pg.Client> =>
  opened({ ...commonOptions(adminUrl, {}), connectionTimeoutMillis: 5_000 })

/** Runs `work` with a connection as the database's owner. */
export async function withOwnerConnection<T>(
  adminUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectAsOwner(adminUrl)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A connection or pool of pg as the port. Its errors are those of pg. */
export const queryOn = (on: pg.ClientBase | pg.Pool): Query => ({
  query: async <R>(sql: string, params: readonly unknown[] = []) => {
    const { rows, rowCount } = await on.query(sql, [...params])
    return { rows: rows as R[], rowCount: rowCount ?? 0 }
  },
})

async function opened(options: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(options)
  client.on('error', () => {}) // its query rejects, or the next one; the event itself must not end the process
  await client.connect()
  return client
}
