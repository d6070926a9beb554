import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { counter, droppedLines, type Measures } from '../observability/index.ts'

/** The Prometheus registry of one service, which collects the measures of the platform and its own. No label grows with users. */
export function createRegistry(service: string) {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  // ms; ten times the default, since each service of a process would wake it a hundred times a second to see how late it is
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  const errors = counter('prelude_metrics_read_errors_total', 'Failed reads of gauges.')
  const dropped = counter(
    'prelude_log_lines_dropped_total',
    'Log lines dropped because the output buffer was full.',
  )
  const readDropped = async (): Promise<void> => {
    dropped.reset()
    dropped.inc(droppedLines())
  }
  const all: Measures[] = []

  /** Gauges that could not be read have no value, rather than an old one. */
  const read = async (measures: Measures): Promise<void> => {
    try {
      await measures.read?.()
    } catch {
      errors.inc()
      for (const one of gaugesIn(measures)) await clear(one)
    }
  }
  const add = (...measures: readonly Measures[]): void => {
    all.push(...measures)
    for (const { metrics } of measures) for (const metric of metrics) registry.registerMetric(metric)
  }
  add({ metrics: [errors, dropped], read: readDropped })

  return {
    add,
    /** Gauges as they are now, by name and labels. */
    gaugesOf: async (...measures: readonly Measures[]): Promise<Record<string, number>> => {
      await Promise.all(measures.map(read))
      const values = await Promise.all(measures.flatMap(gaugesIn).map((one) => one.get()))
      return Object.fromEntries(
        values.flatMap((one) => one.values.map(({ labels, value }) => [seriesOf(one.name, labels), value])),
      )
    },
    /** Reads all gauges and renders everything as Prometheus text. */
    text: async () => {
      await Promise.all(all.map(read))
      return { contentType: registry.contentType, body: await registry.metrics() }
    },
  }
}

const gaugesIn = ({ metrics }: Measures): Gauge[] => metrics.filter((metric) => metric instanceof Gauge)

const seriesOf = (name: string, labels: Partial<Record<string, string | number>>): string => {
  const inside = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return inside.length === 0 ? name : `${name}{${inside.join(',')}}`
}

async function clear(one: Gauge): Promise<void> {
  one.reset()
  // without labels it would now be 0
  if ((await one.get()).values.length > 0) one.remove()
}
