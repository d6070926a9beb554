import type { Limit, Panel, Unit } from './panels.ts'

/** How Grafana draws a panel. Nothing is left to be filled in by it: its schema asks for all that is said here. */

/** Grafana's own are named as they are there. */
const UNITS: Partial<Record<Unit, string>> = { credits: 'suffix:credits', eps: 'suffix:/s' }
const WHOLE = new Set<Unit>(['short', 'credits'])
/** A line at 0 lies on the ground of a scale that makes sense, not of one that goes to 100 or to 10000 %. */
const SCALE: Partial<Record<Unit, number>> = { short: 1, credits: 1, percentunit: 1, reqps: 0.1, eps: 0.1 }

const SCHEME = { mode: 'palette-classic' }
/** By the names of lines: whoever looks at night knows at once which are bad. */
const COLOURS: readonly (readonly [names: string, colour: string])[] = [
  ['/^2\\d\\d$|^p50$/', 'green'],
  ['/^3\\d\\d$/', 'blue'],
  ['/^p90$/', 'yellow'],
  ['/^4\\d\\d$|^p99$/', 'orange'],
  ['/^5\\d\\d$|(^| )(failed|parked)$|^answered 5xx$/', 'red'],
]

export function lookOf(panel: Panel): object {
  if (panel.look === 'number') return numberOf(panel)
  return panel.look === undefined ? linesOf(panel) : statesOf(panel.look)
}

const field = (unit: Unit, steps: readonly object[]) => ({
  unit: UNITS[unit] ?? unit,
  min: 0,
  thresholds: { mode: 'absolute', steps },
})

/** Without a limit nothing is good or bad: Grafana's own would paint every number from 80 on red. */
const NEUTRAL = [{ color: 'text', value: null }]

/** A threshold is reached by its own value, an alert is not. */
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
      noValue: 'unknown', // as when no instance of the part answers
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
  // the dashed line is that of the colour which begins there
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
    { text: 'does not answer', color: 'red' },
    { text: 'answers', color: 'green' },
  ],
  ill: [
    { text: 'all is quiet', color: 'green' },
    { text: 'fires', color: 'red' },
  ],
}

const statesOf = (look: keyof typeof WORDS): object => ({
  type: 'state-timeline',
  fieldConfig: {
    defaults: {
      ...field('short', NEUTRAL),
      color: { mode: 'fixed', fixedColor: 'text' }, // by its thresholds it would say those instead of the words
      mappings: [
        {
          type: 'value',
          options: Object.fromEntries(WORDS[look].map((word, n) => [String(n), { ...word, index: n }])),
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
