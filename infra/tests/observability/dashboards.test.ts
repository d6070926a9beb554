import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DASHBOARDS } from '../../observability/dashboards.ts'
import { grafanaOf } from '../../observability/render.ts'

interface Source {
  readonly type: string
  readonly uid: string
}

interface Rendered {
  readonly uid: string
  readonly title: string
  readonly panels: readonly RenderedPanel[]
}

interface RenderedPanel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: Source
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit: string
      readonly thresholds: {
        readonly steps: readonly { readonly color: string; readonly value: number | null }[]
      }
    }
  }
  readonly targets?: readonly {
    readonly refId: string
    readonly datasource: Source
    readonly legendFormat: string
  }[]
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
}

const dashboards = DASHBOARDS.map((dashboard) => grafanaOf(dashboard) as Rendered)

const provisioned = (
  parse(
    readFileSync(
      resolve(import.meta.dirname, '../../observability/grafana/provisioning/datasources/prometheus.yml'),
      'utf8',
    ),
  ) as { datasources: Source[] }
).datasources.map(({ type, uid }) => ({ type, uid }))

const repeated = (all: readonly unknown[]): unknown[] => all.filter((one, n) => all.indexOf(one) !== n)

test('every service has a dashboard, and so has the business', () => {
  const services = ['gateway', 'songs', 'credits', 'payments', 'storage', 'notifier']
  expect(dashboards.map(({ uid }) => uid)).toEqual(
    expect.arrayContaining(['business', ...services].map((name) => `prelude-${name}`)),
  )
})

test("the overview is Grafana's home dashboard", () => {
  const compose = readFileSync(resolve(import.meta.dirname, '../../../docker-compose.yml'), 'utf8')
  const [, home] = /HOME_DASHBOARD_PATH: \/dashboards\/([a-z-]+)\.json/.exec(compose) ?? []
  expect(home).toBe('prelude-overview')
  expect(dashboards.map(({ uid }) => uid)).toContain(home)
})

test('uids and titles of dashboards are unique', () => {
  expect(repeated(dashboards.map(({ uid }) => uid))).toEqual([])
  expect(repeated(dashboards.map(({ title }) => title))).toEqual([])
  for (const { uid } of dashboards) expect(uid).toMatch(/^[a-z-]{1,40}$/)
})

test.for(dashboards)(
  '$title: panels lie beside and below each other without a hole, each with an id and a title of its own',
  (one) => {
    expect(repeated(one.panels.map(({ id }) => id))).toEqual([])
    expect(repeated(one.panels.filter(({ type }) => type !== 'row').map(({ title }) => title))).toEqual([])
    const cells = one.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    )
    expect(repeated(cells)).toEqual([])
    for (const { gridPos } of one.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
      const beside = one.panels.filter(({ gridPos: { y } }) => y === gridPos.y)
      expect([gridPos.y, beside.reduce((sum, { gridPos: { w } }) => sum + w, 0)]).toEqual([gridPos.y, 24])
      for (const other of beside) expect(other.gridPos.h).toBe(gridPos.h)
    }
  },
)

test.for(dashboards)(
  '$title: every panel has a title, a description, a unit and queries of the provisioned data source',
  (one) => {
    const panels = one.panels.filter(({ type }) => type !== 'row')
    expect(panels.length).toBeGreaterThan(0)
    for (const { title, description, fieldConfig, datasource, targets = [] } of panels) {
      expect([title, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/^`\w+`: \w/)])
      expect([title, fieldConfig?.defaults.unit]).toEqual([title, expect.stringMatching(/^\w/)])
      expect([title, targets.length > 0, repeated(targets.map(({ refId }) => refId))]).toEqual([
        title,
        true,
        [],
      ])
      for (const source of [datasource, ...targets.map((target) => target.datasource)])
        expect(provisioned).toContainEqual(source)
      for (const { legendFormat } of targets)
        expect([title, legendFormat]).toEqual([title, expect.stringMatching(/\w/)])
    }
  },
)

const rules = (
  parse(readFileSync(resolve(import.meta.dirname, '../../observability/prometheus/alerts.yml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
).groups.flatMap((group) => group.rules)
const limited = DASHBOARDS.flatMap(({ title, rows }) =>
  rows.flatMap((row) =>
    row.panels.flatMap(({ title: panel, limit }) =>
      limit?.alert === undefined ? [] : { title, panel, limit },
    ),
  ),
)

test.for(limited)('$title, $panel: the threshold is that of the alert', ({ limit }) => {
  const rule = rules.find(({ alert }) => alert === limit.alert)
  const [, sign = '', number = ''] =
    /(>|<|==) ([\d. *]+)$/.exec(rule?.expr.trim().split('\n').at(-1) ?? '') ?? []
  // a dashboard counts what the alert evaluates one by one, e.g. instances that are down
  if (limit.above === 0) expect([limit.alert, rule !== undefined]).toEqual([limit.alert, true])
  else
    expect([sign, Number(number)]).toEqual(
      limit.below === undefined ? ['>', limit.above] : ['<', limit.below],
    )
})

test('a panel has red if and only if it has a limit', () => {
  for (const { title, rows } of DASHBOARDS) {
    const rendered = dashboards.find((one) => one.title === title)
    for (const panel of rows.flatMap((row) => row.panels)) {
      const shown = rendered?.panels.find((one) => one.type !== 'row' && one.title === panel.title)
      const colours = shown?.fieldConfig?.defaults.thresholds.steps.map(({ color }) => color)
      expect([title, panel.title, colours?.includes('red')]).toEqual([
        title,
        panel.title,
        panel.limit !== undefined,
      ])
    }
  }
})
