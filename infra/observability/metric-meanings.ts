import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Panel } from './panels.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/metrics.md')

/** Metrics that are not the product's own, so not in docs/metrics.md. */
const OTHERS = new Map([
  ['up', '1 for each instance that Prometheus can scrape'],
  ['process_cpu_seconds_total', 'CPU time of the process'],
  ['process_resident_memory_bytes', 'resident memory of the process'],
  ['nodejs_eventloop_lag_p99_seconds', 'p99 lag of the event loop, including the sampling interval of 0.1 s'],
  ['ALERTS', 'pending and firing alerts of Prometheus'],
])

let page: ReadonlyMap<string, string> | undefined

function meaningOf(metric: string): string {
  page ??= new Map(
    [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+)` .*\| (.+?) +\|$/gm)].map(
      ([, name = '', says = '']) => [name, says],
    ),
  )
  const meaning = OTHERS.get(metric) ?? page.get(metric)
  if (meaning === undefined) throw new Error(`docs/metrics.md does not describe ${metric}`)
  return meaning
}

/** Description of a panel in Markdown: each metric of its queries as in docs/metrics.md, and the alert of its threshold. */
export function descriptionOf({ queries, limit }: Panel): string {
  const names = queries.flatMap(
    ({ expr }) => expr.match(/\b(?:(?:prelude|process|nodejs)_\w+|up\b|ALERTS)/g) ?? [],
  )
  const metrics = new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')))
  const meanings = [...metrics].map((metric) => `\`${metric}\`: ${meaningOf(metric)}`)
  if (limit?.alert !== undefined)
    meanings.push(`Red above the threshold of \`${limit.alert}\`; its runbook is in docs/operations.md.`)
  return meanings.join('\n\n')
}
