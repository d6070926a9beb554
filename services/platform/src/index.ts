export * from './ports.ts'
export * from './service.ts'
export * from './errors.ts'
export { askText, client, type Client } from './calls/client.ts'
export { route, type RouteContext } from './http/route.ts'
export { Written } from './http/written.ts'
export { replyText } from './http/reply-text.ts'
export { internalApp } from './http/internal-app.ts'
export { sendAway } from './http/send-away.ts'
export { newId, isId } from './ids.ts'
export { createLogger, type Logger } from './logger.ts'
export { readConfig, type Setting } from './config.ts'
export { type Context, context, currentContext } from './context.ts'
export { createCrowd } from './crowd.ts'
export { gathered, gatheredInTx } from './gather.ts'
export { remembered } from './remembered.ts'
export { collectSeldom } from './garbage.ts'
export { givePiece, takePiece } from './pieces.ts'
export { open } from './open.ts'
export { runService, type Running } from './host.ts'
export { paged } from './cursor.ts'
export { numberTypes, postgresDatabase, type PostgresDatabase } from './postgres/database.ts'
export { migrate, roleUrl, roleOf, type SchemaSpec } from './postgres/migrate.ts'
export { BUS_SCHEMA } from './bus/log-reader.ts'
export { BUS_MIGRATIONS } from './bus/postgres-bus.ts'
export { KV_MIGRATIONS, KV_SCHEMA } from './kv/postgres-kv.ts'
export { injectCalls } from './calls/inject-calls.ts'
export { httpCalls } from './calls/http-calls.ts'
export { readReply } from './calls/client.ts'
export { asAppError, problemOf, registerProblems, sendProblem } from './http/problems.ts'
export { busUrl, ConfigError, credits, email, integer, oneOf, text, url } from './config.ts'
export type { Dependency, HostOptions } from './host.ts'
export {
  counter,
  dependencyCalls,
  DURATION_BUCKETS,
  gauge,
  histogram,
  measured,
  type Measures,
} from './metrics/measures.ts'
export { serveAlone } from './serve.ts'
export { currentTraceId, currentTraceparent, inSpan, startTracing, traceRequests } from './tracing.ts'
