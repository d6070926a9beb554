/** KeyValue: sessions, limits and live fan-out, in PostgreSQL or Redis. */
export * from './port.ts'
export { KV_SCHEMA, postgresKeyValue } from './postgres-kv.ts'
export { redisKeyValue } from './redis-kv.ts'
