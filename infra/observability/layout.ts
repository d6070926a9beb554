import type { Panel } from './panels.ts'

export interface Place {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

const WIDTH = 24
const HEIGHT = { title: 1, number: 4, line: 7 }
/** Panels side by side, readable on a laptop. */
const AT_MOST = { number: 6, line: 4 }

/** Grid positions of a row's panels from `y` on: numbers first, then lines, each band filled completely. */
export function placed(
  panels: readonly Panel[],
  y: number,
): { places: (readonly [Panel, Place])[]; below: number } {
  const numbers = panels.filter(({ type }) => type === 'number')
  const alone = numbers.length === 1
  const others = panels.filter((panel) => !panel.wide && (alone || panel.type !== 'number'))
  const bands = [
    ...(alone ? [] : bandsOf(numbers, AT_MOST.number).map((band) => ({ band, h: HEIGHT.number }))),
    ...bandsOf(others, AT_MOST.line).map((band) => ({ band, h: HEIGHT.line })),
    ...panels.filter(({ wide }) => wide).map((panel) => ({ band: [panel], h: HEIGHT.line })),
  ]
  let below = y + HEIGHT.title
  const places = bands.flatMap(({ band, h }) => {
    const w = Math.floor(WIDTH / band.length)
    const top = below
    below += h
    return band.map((panel, n) => [panel, { x: n * w, y: top, w, h }] as const)
  })
  return { places, below }
}

/** The fewest bands of at most `atMost` panels, evenly filled: five panels of at most four become three and two. */
function bandsOf(panels: readonly Panel[], atMost: number): Panel[][] {
  const bands = Math.ceil(panels.length / atMost)
  const size = Math.ceil(panels.length / bands)
  return Array.from({ length: bands }, (_, n) => panels.slice(n * size, (n + 1) * size))
}

export const titleOfRow = (y: number): Place => ({ x: 0, y, w: WIDTH, h: HEIGHT.title })
