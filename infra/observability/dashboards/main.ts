import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { business } from './business.ts'
import { overview } from './overview.ts'
import type { Unplaced } from './panels.ts'
import { service } from './service.ts'

/** Writes the dashboards where Grafana reads them, or into another folder: `node infra/observability/dashboards/main.ts FOLDER`. */

const FOLDER = resolve(import.meta.dirname, '../grafana/dashboards')
const COLUMNS = 24

/** Numbers the panels, and places them in lines from left to right. */
function placed(panels: readonly Unplaced[]) {
  let [x, y, lineHeight] = [0, 0, 0]
  return panels.map(({ w, h, ...panel }, i) => {
    if (x + w > COLUMNS) [x, y, lineHeight] = [0, y + lineHeight, 0]
    const gridPos = { x, y, w, h }
    x += w
    lineHeight = Math.max(lineHeight, h)
    return { id: i + 1, ...panel, gridPos }
  })
}

const dashboard = (name: string, panels: readonly Unplaced[], more: object = {}) => ({
  uid: `prelude-${name}`,
  title: `Prelude: ${name}`,
  tags: ['prelude'],
  editable: true,
  schemaVersion: 39,
  refresh: '30s',
  time: { from: 'now-6h', to: 'now' },
  graphTooltip: 1,
  links: [
    {
      type: 'dashboards',
      title: 'All of Prelude',
      tags: ['prelude'],
      asDropdown: true,
      keepTime: true,
      icon: 'external link',
    },
  ],
  ...more,
  panels: placed(panels),
})

const SERVICES = 'label_values(up{service!=""}, service)'

/** The variable `$service`. */
const ofOneService = {
  templating: {
    list: [
      {
        name: 'service',
        label: 'Service',
        type: 'query',
        datasource: { type: 'prometheus', uid: 'prometheus' },
        definition: SERVICES,
        query: { qryType: 1, query: SERVICES, refId: 'PrometheusVariableQueryEditor-VariableQuery' },
        refresh: 1,
        sort: 1,
        current: { text: 'songs', value: 'songs' },
      },
    ],
  },
}

export const dashboards = [
  dashboard('overview', overview),
  dashboard('business', business),
  dashboard('service', service, ofOneService),
]

export async function writeDashboards(folder = FOLDER): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const one of dashboards)
    await writeFile(join(folder, `${one.uid}.json`), `${JSON.stringify(one, null, 2)}\n`)
}

if (import.meta.main) await writeDashboards(process.argv[2])
