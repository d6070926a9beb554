import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DASHBOARDS } from '../dashboards.ts'
import { grafanaOf } from '../render.ts'

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
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } }
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
    readFileSync(resolve(import.meta.dirname, '../grafana/provisioning/datasources/prometheus.yml'), 'utf8'),
  ) as { datasources: Source[] }
).datasources.map(({ type, uid }) => ({ type, uid }))

const repeated = (all: readonly unknown[]): unknown[] => all.filter((one, n) => all.indexOf(one) !== n)

test('every part has a dashboard, and so has the business', () => {
  const parts = ['gateway', 'songs', 'credits', 'payments', 'storage', 'notifier']
  expect(dashboards.map(({ uid }) => uid)).toEqual(
    expect.arrayContaining(['business', ...parts].map((name) => `prelude-${name}`)),
  )
})

test('no two dashboards have the same name, by which they are linked and kept over restarts', () => {
  expect(repeated(dashboards.map(({ uid }) => uid))).toEqual([])
  expect(repeated(dashboards.map(({ title }) => title))).toEqual([])
  for (const { uid } of dashboards) expect(uid).toMatch(/^[a-z-]{1,40}$/)
})

test.for(dashboards)('$title: panels lie beside and below each other, each with an id of its own', (one) => {
  expect(repeated(one.panels.map(({ id }) => id))).toEqual([])
  const cells = one.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  )
  expect(repeated(cells)).toEqual([])
  expect(Math.max(...one.panels.map(({ gridPos }) => gridPos.x + gridPos.w))).toBeLessThanOrEqual(24)
})

test.for(dashboards)(
  '$title: every panel says what it shows, in what unit, and asks what is there',
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
