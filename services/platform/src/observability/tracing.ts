import {
  type Attributes,
  context as traceContext,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { currentContext } from './context.ts'

/**
 * OpenTelemetry traces. Off unless the standard variables name a collector (OTEL_EXPORTER_OTLP_ENDPOINT or
 * OTEL_EXPORTER_OTLP_TRACES_ENDPOINT); then nothing of the SDK is even loaded, and every function here only calls its work.
 */
let on = false

export const isTracing = (): boolean => on

/** To be called before any adapter is opened. Answers what sends the last spans and ends it. */
export async function startTracing(
  service: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<() => Promise<void>> {
  const collector = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? ''
  if (collector === '' || env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none')
    return async () => {}
  const [
    sdk,
    { OTLPTraceExporter },
    { defaultResource, detectResources, envDetector, resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const provider = new sdk.NodeTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': `prelude-${service}` }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  on = true
  return async () => {
    on = false
    await provider.shutdown().catch(() => {}) // a collector that does not answer must not delay the stop
  }
}

interface SpanOptions {
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  /** A W3C traceparent: the parent of the span, instead of the active span. */
  readonly parent?: string | undefined
  /** W3C traceparents of spans in other traces that led to this one. */
  readonly links?: readonly (string | undefined)[]
}

/** Runs `work` in a span, which records its errors. */
export async function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!on) return work()
  const { kind = SpanKind.INTERNAL, attributes = {}, parent } = options
  const around = parent === undefined ? traceContext.active() : from({ traceparent: parent })
  const links = (options.links ?? []).flatMap(linkTo)
  return tracer().startActiveSpan(name, { kind, attributes, links }, around, async (span) => {
    try {
      return await work()
    } catch (error) {
      fail(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** The active span as a W3C traceparent, to be sent to the service that continues the trace. */
export function currentTraceparent(): string | undefined {
  if (!on) return undefined
  const carrier: { traceparent?: string } = {}
  propagation.inject(traceContext.active(), carrier)
  return carrier.traceparent
}

/** The cause of events and messages that are emitted now; undefined outside of any context. */
export function currentCause(): { correlationId: string; traceparent?: string } | undefined {
  const current = currentContext()
  const traceparent = currentTraceparent()
  return (
    current && { correlationId: current.correlationId, ...(traceparent !== undefined && { traceparent }) }
  )
}

/** The trace id of the active span, for log lines. */
export function currentTraceId(): { traceId: string } | undefined {
  if (!on) return undefined
  const span = trace.getActiveSpan()
  return span && { traceId: span.spanContext().traceId }
}

/**
 * A server span for each request of an app. The caller's span is its parent; where anybody may call (`isPublic`) it is only
 * linked, or a stranger would choose the traces that requests join, and whether they are recorded.
 */
export function traceRequests(
  app: FastifyInstance,
  service: string,
  { isPublic = false }: { isPublic?: boolean } = {},
): void {
  if (!on) return
  const spans = new WeakMap<FastifyRequest, Span>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    const around = isPublic ? traceContext.active() : from({ traceparent })
    const links = isPublic ? linkTo(traceparent) : []
    const [name, options] = serverSpan(service, request.method, request.routeOptions.url ?? 'unknown')
    const span = tracer().startSpan(name, { ...options, links }, around)
    spans.set(request, span)
    traceContext.with(trace.setSpan(around, span), done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request)
    recordStatus(reply.statusCode, span)
    span?.end()
    done()
  })
}

/** Name and options of the span of a request, or of a call within the process. */
export const serverSpan = (service: string, method: string, route: string) => {
  const attributes = { 'prelude.service': service, 'http.request.method': method, 'http.route': route }
  return [`${method} ${route}`, { kind: SpanKind.SERVER, attributes }] as const
}

export function recordStatus(status: number, span = trace.getActiveSpan()): void {
  span?.setAttribute('http.response.status_code', status)
  if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
}

const tracer = () => trace.getTracer('prelude')

const from = (carrier: { traceparent: string | string[] | undefined }) =>
  propagation.extract(traceContext.active(), carrier)

function linkTo(traceparent: string | string[] | undefined): Link[] {
  const context = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent }))
  return context ? [{ context }] : []
}

function fail(span: Span, error: unknown): void {
  // the name alone: a message may quote text that a person wrote
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'unknown' })
}
