import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Panel } from './panels.ts'

const PAGE = resolve(import.meta.dirname, '../../docs/metrics.md')

/** Not ours, so not on the page. */
const OTHERS = new Map([
  ['up', '1 for each instance that answers Prometheus'],
  ['process_cpu_seconds_total', "the process's time on a processor"],
  ['process_resident_memory_bytes', 'memory that the process holds'],
  ['nodejs_eventloop_lag_p99_seconds', 'how late the process comes to what is due every 0.1 s, with these'],
  ['ALERTS', 'alerts that Prometheus holds; those that are `firing` are told'],
])

let page: ReadonlyMap<string, string> | undefined

function meaningOf(metric: string): string {
  page ??= new Map(
    [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+)` .*\| (.+?) +\|$/gm)].map(
      ([, name = '', says = '']) => [name, says],
    ),
  )
  const meaning = OTHERS.get(metric) ?? page.get(metric)
  if (meaning === undefined) throw new Error(`docs/metrics.md does not say what ${metric} is`)
  return meaning
}

/**
 * What a panel looks at, in the words of docs/metrics.md: Markdown, a line for each metric of its queries, and what its
 * red means.
 */
export function descriptionOf({ queries, limit }: Panel): string {
  const names = queries.flatMap(
    ({ expr }) => expr.match(/\b(?:(?:prelude|process|nodejs)_\w+|up\b|ALERTS)/g) ?? [],
  )
  const metrics = new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')))
  const meanings = [...metrics].map((metric) => `\`${metric}\`: ${meaningOf(metric)}`)
  if (limit?.alert !== undefined)
    meanings.push(`Red is where \`${limit.alert}\` begins: docs/operations.md says what to do.`)
  return meanings.join('\n\n')
}
