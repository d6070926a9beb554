import { SpanKind } from '@opentelemetry/api'
import { Counter, Gauge, Histogram, type Metric } from 'prom-client'
import { inSpan } from './tracing.ts'

/**
 * Metrics of a service or of a module, which the host registers. Names begin with `prelude_` and end with their unit;
 * labels take few values that are known beforehand: never a person, an address or an id.
 */
export interface Measures {
  readonly metrics: readonly Metric[]
  /** Called with each event of this service once its transaction has committed. */
  readonly emitted?: (type: string, data: Readonly<Record<string, unknown>>) => void
  /** Brings gauges up to date before they are read. */
  readonly read?: () => Promise<void>
}

/** Metrics are made without a registry: the host registers them with those of the service. */
const registers: [] = []

/**
 * `known` are the label sets that start at 0: `increase()` misses the first event of a series that starts at 1, so one of each
 * would be missed after every start.
 */
export function counter(
  name: string,
  help: string,
  labelNames: string[] = [],
  known: readonly Readonly<Record<string, string>>[] = [],
): Counter {
  const made = new Counter({ name, help, labelNames, registers })
  for (const labels of known) made.inc(labels, 0)
  return made
}
export const gauge = (name: string, help: string, labelNames: string[] = []): Gauge =>
  new Gauge({ name, help, labelNames, registers })
export const histogram = (
  name: string,
  help: string,
  buckets: readonly number[],
  labelNames: string[] = [],
): Histogram => new Histogram({ name, help, buckets: [...buckets], labelNames, registers })

/** Histogram buckets for durations of milliseconds to seconds. */
export const DURATION_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Durations of calls to external systems: a store, a mail server, a payment provider. */
export const dependencyCalls = (): Histogram =>
  histogram(
    'prelude_dependency_call_duration_seconds',
    'Duration of calls to servers and providers, by outcome (ok, failed).',
    [...DURATION_BUCKETS, 10, 30],
    ['dependency', 'operation', 'outcome'],
  )

/** A port whose named calls are observed, and are spans while tracing is on; all else is the port itself. */
export function measured<P extends object>(
  calls: Histogram,
  dependency: string,
  port: P,
  operations: readonly (keyof P & string)[],
): P {
  const observe = async (operation: keyof P & string, given: unknown[]): Promise<unknown> => {
    const end = calls.startTimer({ dependency, operation })
    const span = { kind: SpanKind.CLIENT, attributes: { 'peer.service': dependency } }
    const call = port[operation] as (...given: unknown[]) => Promise<unknown>
    try {
      const answer = await inSpan(`${dependency} ${operation}`, span, () => call(...given))
      end({ outcome: 'ok' })
      return answer
    } catch (error) {
      end({ outcome: 'failed' })
      throw error
    }
  }
  const observed = new Map<unknown, unknown>(
    operations.map((operation) => [operation, (...given: unknown[]) => observe(operation, given)]),
  )
  return new Proxy(port, { get: (target, name) => observed.get(name) ?? Reflect.get(target, name) })
}
