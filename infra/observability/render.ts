import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DASHBOARDS } from './dashboards.ts'
import { placed, titleOfRow } from './layout.ts'
import { typeOf } from './panel-types.ts'
import { descriptionOf } from './metric-meanings.ts'
import type { Dashboard, Panel } from './panels.ts'

/** `node infra/observability/render.ts FOLDER` writes every dashboard as JSON for Grafana. */

/** The data source of grafana/provisioning/datasources. */
const SOURCE = { type: 'prometheus', uid: 'prometheus' }

/** Link from each dashboard to all others. */
const ALL = {
  type: 'dashboards',
  title: 'All of Prelude',
  tags: ['prelude'],
  asDropdown: true,
  keepTime: true,
  includeVars: false,
  targetBlank: false,
  icon: 'external link',
  tooltip: '',
  url: '',
}

export function grafanaOf({ uid, title, rows }: Dashboard): object {
  let y = 0
  const panels = rows.flatMap((row) => {
    const head = { type: 'row', title: row.title, collapsed: false, panels: [], gridPos: titleOfRow(y) }
    const { places, below } = placed(row.panels, y)
    y = below
    return [head, ...places.map(([panel, gridPos]) => ({ ...panelOf(panel), gridPos }))]
  })
  return {
    uid,
    title,
    tags: ['prelude'],
    editable: false,
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    links: [ALL],
    templating: { list: [] },
    annotations: { list: [] },
    graphTooltip: 1, // shared crosshair
    panels: panels.map((panel, n) => ({ id: n + 1, ...panel })),
  }
}

const panelOf = (panel: Panel): object => ({
  title: panel.title,
  description: descriptionOf(panel),
  datasource: SOURCE,
  ...typeOf(panel),
  targets: panel.queries.map(({ expr, legend }, n) => ({
    refId: String.fromCodePoint(65 + n),
    datasource: SOURCE,
    expr,
    legendFormat: legend,
    // a single value is an instant query: the last point of a range may be of a series that has ended
    instant: panel.type === 'number',
    range: panel.type !== 'number',
  })),
})

export async function writeDashboards(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const dashboard of DASHBOARDS)
    await writeFile(join(folder, `${dashboard.uid}.json`), JSON.stringify(grafanaOf(dashboard), null, 2))
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('Usage: node infra/observability/render.ts FOLDER')
  await writeDashboards(folder)
}
