import { dashboards } from '../../observability/dashboards/main.ts'

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

/** As Grafana reads them. */
export const DASHBOARDS = JSON.parse(JSON.stringify(dashboards)) as readonly Dashboard[]

/** Panels that show something: all but the titles of rows. */
export const panelsOf = ({ panels }: Dashboard): readonly Panel[] =>
  panels.filter(({ type }) => type !== 'row')
