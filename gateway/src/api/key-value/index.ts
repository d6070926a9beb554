import { type Clock, ConfigError, type Logger } from '@prelude/platform'
import type { KeyValue } from './port.ts'
import { postgresKeyValue } from './postgres-kv.ts'
import { redisKeyValue } from './redis-kv.ts'

/** KeyValue: sessions, limits and live fan-out, in PostgreSQL or Redis. */
export type { KeyValue } from './port.ts'
export { KV_SCHEMA } from './postgres-kv.ts'

/**
 * `KV_URL`: postgres:// (a table and LISTEN/NOTIFY), redis:// or rediss:// (values expire by the server's own clock).
 * `onlySubscriber`: no other process subscribes. Errors: ConfigError for another scheme.
 */
export function openKeyValue(
  url: string,
  logger: Logger,
  clock: Clock,
  { onlySubscriber }: { onlySubscriber?: boolean } = {},
): KeyValue {
  if (/^postgres(ql)?:/.test(url)) return postgresKeyValue({ url, logger, clock, onlySubscriber })
  if (/^rediss?:/.test(url)) return redisKeyValue({ url, logger })
  throw new ConfigError('Bad settings: KV_URL must be postgres://…, redis://… or rediss://….')
}
