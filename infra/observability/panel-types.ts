import type { Limit, Panel, Unit } from './panels.ts'

/** Grafana's JSON of a panel, complete: no defaults are left to Grafana. */

/** Units whose name in Grafana differs. */
const UNITS: Partial<Record<Unit, string>> = { credits: 'suffix:credits', eps: 'suffix:/s' }
const WHOLE = new Set<Unit>(['short', 'credits'])
/** Soft maximum of the axis, so that a line at 0 has a sensible scale instead of 0 to 100 or 10000 %. */
const SCALE: Partial<Record<Unit, number>> = { short: 1, credits: 1, percentunit: 1, reqps: 0.1, eps: 0.1 }

const SCHEME = { mode: 'palette-classic' }
/** Fixed colours by legend, the same in all panels. */
const COLOURS: readonly (readonly [names: string, colour: string])[] = [
  ['/^2\\d\\d$|^p50$/', 'green'],
  ['/^3\\d\\d$/', 'blue'],
  ['/^p90$/', 'yellow'],
  ['/^4\\d\\d$|^p99$/', 'orange'],
  ['/^5\\d\\d$|(^| )(failed|parked)$|^5xx$/', 'red'],
]

/** What Grafana draws: lines unless the panel says otherwise. */
export function typeOf(panel: Panel): object {
  if (panel.type === 'number') return numberOf(panel)
  return panel.type === undefined ? linesOf(panel) : statesOf(panel.type)
}

const field = (unit: Unit, steps: readonly object[]) => ({
  unit: UNITS[unit] ?? unit,
  min: 0,
  thresholds: { mode: 'absolute', steps },
})

/** Without a limit no value is good or bad: Grafana's default would be red from 80 on. */
const NEUTRAL = [{ color: 'text', value: null }]

/** Grafana's threshold includes its value, the alert's `>` does not. */
function stepsOfNumber({ above, below }: Limit = {}): object[] {
  if (below !== undefined) return steps('red', below, 'green')
  return above === undefined ? NEUTRAL : steps('green', above || Number.EPSILON, 'red')
}

const steps = (first: string, from: number, then: string) => [
  { color: first, value: null },
  { color: then, value: from },
]

const numberOf = ({ unit, limit }: Panel): object => ({
  type: 'stat',
  fieldConfig: {
    defaults: {
      ...field(unit, stepsOfNumber(limit)),
      color: { mode: 'thresholds' },
      noValue: 'unknown', // no instance of the service responds
      ...(WHOLE.has(unit) && { decimals: 0 }),
    },
    overrides: [],
  },
  options: {
    reduceOptions: { calcs: ['lastNotNull'], values: false },
    colorMode: 'value',
    graphMode: 'none',
    justifyMode: 'auto',
    orientation: 'auto',
    textMode: 'value',
    wideLayout: true,
    showPercentChange: false,
    percentChangeColorMode: 'standard',
  },
})

const legend = (wide: boolean) => ({
  showLegend: true,
  displayMode: wide ? 'table' : 'list',
  placement: wide ? 'right' : 'bottom',
  calcs: wide ? ['lastNotNull', 'max'] : [],
})

function linesOf({ unit, limit, wide, scale }: Panel): object {
  // the dashed line has the colour of the range that begins there
  const dashed = limit && steps('green', limit.below ?? (limit.above || 1), 'red')
  const end = limit?.above || scale || SCALE[unit]
  return {
    type: 'timeseries',
    fieldConfig: {
      defaults: {
        ...field(unit, dashed ?? NEUTRAL),
        color: SCHEME,
        custom: {
          fillOpacity: 8,
          thresholdsStyle: { mode: limit ? 'dashed' : 'off' },
          ...(end !== undefined && { axisSoftMax: end }),
        },
      },
      overrides: COLOURS.map(([names, colour]) => ({
        matcher: { id: 'byRegexp', options: names },
        properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: colour } }],
      })),
    },
    options: { legend: legend(wide === true), tooltip: { mode: 'multi', sort: 'desc' } },
  }
}

const WORDS = {
  well: [
    { text: 'down', color: 'red' },
    { text: 'up', color: 'green' },
  ],
  ill: [
    { text: 'no alert', color: 'green' },
    { text: 'firing', color: 'red' },
  ],
}

const statesOf = (type: keyof typeof WORDS): object => ({
  type: 'state-timeline',
  fieldConfig: {
    defaults: {
      ...field('short', NEUTRAL),
      color: { mode: 'fixed', fixedColor: 'text' }, // with threshold colours Grafana would show the thresholds instead of the mapped texts
      mappings: [
        {
          type: 'value',
          options: Object.fromEntries(WORDS[type].map((word, n) => [String(n), { ...word, index: n }])),
        },
      ],
      custom: { lineWidth: 0, fillOpacity: 70 },
    },
    overrides: [],
  },
  options: {
    showValue: 'auto',
    rowHeight: 0.8,
    mergeValues: true,
    alignValue: 'left',
    legend: { ...legend(false), showLegend: false },
    tooltip: { mode: 'single', sort: 'none' },
  },
})
