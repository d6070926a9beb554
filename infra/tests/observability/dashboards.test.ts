import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DASHBOARDS, panelsOf, type Source } from './read-dashboards.ts'

const read = (path: string): unknown =>
  parse(readFileSync(resolve(import.meta.dirname, '../../observability', path), 'utf8'))

const provisioned = (
  read('grafana/provisioning/datasources/prometheus.yml') as { datasources: Source[] }
).datasources.map(({ type, uid }) => ({ type, uid }))

const repeated = (all: readonly unknown[]): unknown[] => all.filter((one, n) => all.indexOf(one) !== n)

test('each can be edited in Grafana, and has no field that differs between installations', () => {
  expect(read('grafana/provisioning/dashboards/prelude.yml')).toMatchObject({
    providers: [{ allowUiUpdates: true }],
  })
  for (const dashboard of DASHBOARDS) {
    expect([dashboard.uid, dashboard.editable]).toEqual([dashboard.uid, true])
    for (const own of ['id', 'version', '__inputs']) expect(dashboard).not.toHaveProperty(own)
  }
})

test("the overview is Grafana's home dashboard", () => {
  const compose = readFileSync(resolve(import.meta.dirname, '../../../docker-compose.yml'), 'utf8')
  const [, home] = /HOME_DASHBOARD_PATH: \/dashboards\/([a-z-]+)\.json/.exec(compose) ?? []
  expect(home).toBe('prelude-overview')
  expect(DASHBOARDS.map(({ uid }) => uid)).toContain(home)
})

test('titles of dashboards are unique', () => {
  expect(repeated(DASHBOARDS.map(({ title }) => title))).toEqual([])
  for (const { uid } of DASHBOARDS) expect(uid).toMatch(/^[a-z-]{1,40}$/)
})

test('no panel lies over another, and each has an id and a title of its own', () => {
  for (const one of DASHBOARDS) {
    const { uid, panels } = one
    const cells = one.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
    )
    const [ids, titles] = [panels.map(({ id }) => id), panelsOf(one).map(({ title }) => title)]
    const outside = panels.filter(({ gridPos: { x, w } }) => x + w > 24)
    expect([uid, ...[ids, titles, cells].map(repeated), outside]).toEqual([uid, [], [], [], []])
  }
})

test('every panel has a title, a description, a unit and queries of the provisioned data source', () => {
  const text = expect.stringMatching(/\w/) as string
  for (const one of DASHBOARDS) {
    expect(panelsOf(one).length).toBeGreaterThan(0)
    for (const { title, description, fieldConfig, datasource, targets = [] } of panelsOf(one)) {
      const { unit } = fieldConfig?.defaults ?? {}
      const twice = repeated(targets.map(({ refId }) => refId))
      expect([title, description, unit, targets.length > 0, twice]).toEqual([title, text, text, true, []])
      expect(provisioned).toContainEqual(datasource)
      for (const { legendFormat } of targets) expect([title, legendFormat]).toEqual([text, text])
    }
  }
})

const rules = (
  read('prometheus/alerts.yml') as { groups: { rules: { alert: string; expr: string }[] }[] }
).groups.flatMap((group) => group.rules)

/** Red as soon as there is one: the panel counts what an alert evaluates one by one. */
const ANY = 0.001

/** Panels with a threshold; their description names its alert. */
const limited = DASHBOARDS.flatMap((dashboard) =>
  panelsOf(dashboard).flatMap(({ title, description = '', fieldConfig }) => {
    const [, step] = fieldConfig?.defaults.thresholds?.steps ?? []
    const [, alert] = /The threshold is that of `(\w+)`/.exec(description) ?? []
    return step === undefined && alert === undefined
      ? []
      : [{ name: `${dashboard.title}, ${title}`, alert, from: step?.value }]
  }),
)

test('the threshold of a panel is that of its alert', () => {
  expect(limited.length).toBeGreaterThan(10)
  const wrong = limited.filter(({ name, alert, from }) => {
    if (name === 'Prelude: overview, Firing alerts') return false // red at any alert
    const rule = rules.find((one) => one.alert === alert)
    const [, limit = ''] = / [<>] ([\d. *]+)$/.exec(rule?.expr.trim() ?? '') ?? []
    // Grafana's step includes its value, the alert's `>` does not
    return rule === undefined || (from !== ANY && from !== (Number(limit) || 1))
  })
  expect(wrong).toEqual([])
})
