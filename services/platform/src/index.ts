export * from './database/port.ts'
export * from './events/port.ts'
export * from './key-value/port.ts'
export * from './blobs/port.ts'
export * from './mail/port.ts'
export * from './http/calls/port.ts'
export * from './host/service.ts'
export * from './errors.ts'
export { client, readReply, type Client } from './http/calls/client.ts'
export { route, type RouteContext } from './http/route.ts'
export { internalApp } from './http/internal-app.ts'
export { sendAway } from './host/drain.ts'
export { newId, isId } from './ids.ts'
export { within } from './within.ts'
export { createLogger, type Logger } from './observability/logger.ts'
export { readConfig, type Setting } from './host/config.ts'
export { type Context, context, currentContext } from './observability/context.ts'
export { createCrowd } from './crowd.ts'
export { batched, gatheredInTx } from './batch.ts'
export { givePiece, takePiece } from './blobs/buffer-pool.ts'
export { open } from './host/open.ts'
export { runService, type Running } from './host/run-service.ts'
export { paged } from './http/paging.ts'
export { numberTypes, postgresDatabase, type PostgresDatabase } from './database/database.ts'
export { migrate, roleUrl, roleOf, type SchemaSpec } from './database/migrate.ts'
export { BUS_SCHEMA } from './events/log-reader.ts'
export { BUS_MIGRATIONS } from './events/postgres-bus.ts'
export { KV_MIGRATIONS, KV_SCHEMA } from './key-value/postgres-kv.ts'
export { injectCalls } from './http/calls/inject-calls.ts'
export { httpCalls } from './http/calls/http-calls.ts'
export { asAppError, problemOf, registerProblems, sendProblem } from './http/problems.ts'
export { busUrl, ConfigError, credits, email, integer, oneOf, text, url } from './host/config.ts'
export type { Dependency, HostOptions } from './host/run-service.ts'
export {
  counter,
  dependencyCalls,
  DURATION_BUCKETS,
  gauge,
  histogram,
  measured,
  type Measures,
} from './observability/measures.ts'
export { serveAlone } from './host/serve-alone.ts'
export {
  currentTraceId,
  currentTraceparent,
  inSpan,
  startTracing,
  traceRequests,
} from './observability/tracing.ts'
