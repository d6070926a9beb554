import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { EventEnvelope, ServiceName, Topic } from '@prelude/contracts'
import { currentTraceparent, inSpan, isTracing } from '../observability/index.ts'

/** Spans of events, with the attributes of OpenTelemetry's semantic conventions for messaging. */

/** Of a topic's events, wherever they are: in the log of their service, and on a broker where there is one. */
const attributesOf = (
  operation: { readonly name: string; readonly type: 'send' | 'process' },
  topic: Topic,
  events: number,
): Attributes => ({
  'messaging.system': 'prelude',
  'messaging.operation.name': operation.name,
  'messaging.operation.type': operation.type,
  'messaging.destination.name': topic,
  ...(events > 1 && { 'messaging.batch.message_count': events }),
})

/** Runs what appends events to the log of their service. */
export const inAppendSpan = <T>(topic: Topic, events: number, append: () => Promise<T>): Promise<T> =>
  inSpan(
    `append ${topic}`,
    { kind: SpanKind.PRODUCER, attributes: attributesOf({ name: 'append', type: 'send' }, topic, events) },
    append,
  )

/** Runs a handler. The span of one event continues its trace, and is the cause of what it emits; that of several is linked to their traces. */
export function inHandleSpan(
  service: ServiceName,
  events: readonly EventEnvelope[],
  handle: (events: readonly EventEnvelope[]) => Promise<void>,
): Promise<void> {
  const [first, ...more] = events
  if (!isTracing() || !first) return handle(events)
  const attributes = {
    'prelude.service': service,
    'messaging.consumer.group.name': service,
    ...attributesOf({ name: 'handle', type: 'process' }, first.topic, events.length),
  }
  const cause =
    more.length > 0 ? { links: events.map(({ traceparent }) => traceparent) } : { parent: first.traceparent }
  return inSpan(`handle ${first.type}`, { kind: SpanKind.CONSUMER, attributes, ...cause }, () =>
    handle(more.length > 0 ? events : [{ ...first, traceparent: currentTraceparent() ?? '' }]),
  )
}
