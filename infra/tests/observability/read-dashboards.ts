import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The dashboards that Grafana reads: infra/observability/grafana/dashboards. */

const FOLDER = resolve(import.meta.dirname, '../../observability/grafana/dashboards')

export interface Source {
  readonly type: string
  readonly uid: string
}

export interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly datasource?: Source
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit: string
      readonly thresholds?: { readonly steps: readonly { readonly value: number | null }[] }
    }
  }
  readonly targets?: readonly {
    readonly refId: string
    readonly expr: string
    readonly legendFormat: string
  }[]
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>
}

export interface Dashboard {
  readonly uid: string
  readonly title: string
  readonly editable: boolean
  readonly panels: readonly Panel[]
}

export const DASHBOARD_FILES = readdirSync(FOLDER).toSorted()

export const DASHBOARDS = DASHBOARD_FILES.map(
  (name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Dashboard,
)

/** Panels that show something: all but the titles of rows. */
export const panelsOf = ({ panels }: Dashboard): readonly Panel[] =>
  panels.filter(({ type }) => type !== 'row')
