import pg from 'pg'

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
const DEAD_PEER_SETTINGS = [
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=20000',
]

/** What every connection to the database has in common. Everything unqualified is found in `schema`. */
export function connectionOptions(url: string, schema: string): pg.ClientConfig {
  return {
    connectionString: url,
    options: [`search_path=${schema}`, ...DEAD_PEER_SETTINGS].map((setting) => `-c ${setting}`).join(' '),
    types: numberTypes,
    application_name: `prelude-${schema}`,
    connectionTimeoutMillis: 2_500,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
}
