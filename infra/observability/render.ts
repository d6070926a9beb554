import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DASHBOARDS } from './dashboards.ts'
import { descriptionOf } from './metric-meanings.ts'
import type { Dashboard, Panel } from './panels.ts'

/** `node infra/observability/render.ts FOLDER` writes every dashboard as a file that Grafana reads. */

const WIDTH = 24
const SIZES = { line: { w: 8, h: 8 }, single: { w: 4, h: 4 }, row: { w: WIDTH, h: 1 } }
/** As provisioned in grafana/provisioning/datasources. */
const SOURCE = { type: 'prometheus', uid: 'prometheus' }
/** Nothing is left to be filled in by Grafana: its schema asks for all of these. */
const NUMBER_ALONE = {
  reduceOptions: { calcs: ['lastNotNull'], values: false },
  colorMode: 'value',
  graphMode: 'none',
  justifyMode: 'auto',
  orientation: 'auto',
  textMode: 'auto',
  wideLayout: true,
  showPercentChange: false,
  percentChangeColorMode: 'standard',
}
/** Grafana's own are named as they are there. */
const UNITS: Partial<Record<Panel['unit'], string>> = { credits: 'suffix: credits' }

/** From each dashboard to all others. */
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
  const place = placer()
  const panels = rows.flatMap((row) => [
    { type: 'row', title: row.title, collapsed: false, panels: [], gridPos: place('row') },
    ...row.panels.map((panel) => ({ ...panelOf(panel), gridPos: place(panel.single ? 'single' : 'line') })),
  ])
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
    panels: panels.map((panel, n) => ({ id: n + 1, ...panel })),
  }
}

const panelOf = (panel: Panel): object => {
  const { title, unit, queries, single } = panel
  return {
    type: single ? 'stat' : 'timeseries',
    title,
    description: descriptionOf(panel),
    datasource: SOURCE,
    fieldConfig: { defaults: { unit: UNITS[unit] ?? unit, min: 0 }, overrides: [] },
    ...(single && { options: NUMBER_ALONE }),
    targets: queries.map(({ expr, legend }, n) => ({
      refId: String.fromCodePoint(65 + n),
      datasource: SOURCE,
      expr,
      legendFormat: legend,
      // a number alone is that of now, not the last of a line that has ended
      instant: single === true,
      range: single !== true,
    })),
  }
}

/** Places one after the other, from left to right and then further down. */
function placer(): (size: keyof typeof SIZES) => { x: number; y: number; w: number; h: number } {
  let [x, y, below] = [0, 0, 0]
  return (size) => {
    const { w, h } = SIZES[size]
    if (x + w > WIDTH || size === 'row') [x, y] = [0, below]
    const placed = { x, y, w, h }
    x += w
    below = Math.max(below, y + h)
    return placed
  }
}

export async function writeDashboards(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const dashboard of DASHBOARDS)
    await writeFile(join(folder, `${dashboard.uid}.json`), JSON.stringify(grafanaOf(dashboard), null, 2))
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('Say the folder where the dashboards go.')
  await writeDashboards(folder)
}
