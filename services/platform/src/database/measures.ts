import { gauge, type Measures } from '../observability/index.ts'
import type { PostgresDatabase } from './database.ts'

/** The connections of a pool. */
export function poolMeasures({ pool }: PostgresDatabase): Measures {
  const connections = gauge(
    'prelude_db_pool_connections',
    'Database connections of this instance, by state (used, idle).',
    ['state'],
  )
  const size = gauge('prelude_db_pool_size', 'Database connections that it may have.')
  const waiting = gauge(
    'prelude_db_pool_waiting',
    'Statements and transactions that wait for a database connection.',
  )
  return {
    metrics: [connections, size, waiting],
    read: async () => {
      connections.set({ state: 'used' }, pool.totalCount - pool.idleCount)
      connections.set({ state: 'idle' }, pool.idleCount)
      size.set(pool.options.max)
      waiting.set(pool.waitingCount)
    },
  }
}
