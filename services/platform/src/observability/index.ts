/** Logs, metrics and traces, and the context that they share. */
export { context, currentContext } from './context.ts'
export { createLogger, type Logger } from './logger.ts'
export {
  counter,
  dependencyCalls,
  DURATION_BUCKETS,
  gauge,
  histogram,
  measured,
  type Measures,
} from './measures.ts'
export { droppedLines } from './standard-output.ts'
export {
  currentCause,
  currentTraceId,
  currentTraceparent,
  inSpan,
  isTracing,
  recordStatus,
  serverSpan,
  startTracing,
  traceRequests,
} from './tracing.ts'
