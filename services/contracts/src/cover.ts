interface Palette {
  readonly sky: string
  readonly light: string
  readonly ground: string
  /** Of figures and outlines, on all of the others. */
  readonly line: string
}

const INK = '#1b1714'
const PAPER = '#f5efe3'
const RED = '#c2341a'
const TEAL = '#1f5e5b'
const GOLD = '#e0a234'

const PALETTES: readonly Palette[] = [
  { sky: RED, light: GOLD, ground: TEAL, line: INK },
  { sky: INK, light: GOLD, ground: RED, line: PAPER },
  { sky: TEAL, light: PAPER, ground: GOLD, line: INK },
  { sky: GOLD, light: RED, ground: TEAL, line: INK },
  { sky: '#3b4a7a', light: GOLD, ground: RED, line: PAPER },
  { sky: '#7a2f55', light: '#f0b9a0', ground: TEAL, line: PAPER },
  { sky: '#efe2cc', light: RED, ground: GOLD, line: INK },
  { sky: '#8fb0a8', light: PAPER, ground: RED, line: INK },
]

const sun = (y: number, radius: number, { light }: Palette): string =>
  `<circle cx="100" cy="${y}" r="${radius}" fill="${light}"/>`
/** Everything below a height, as wide as the widest cover. */
const below = (y: number, fill: string): string =>
  `<rect x="-100" y="${y}" width="400" height="${200 - y}" fill="${fill}"/>`
const strokes = (at: readonly (readonly [number, number, number])[]): string =>
  at.map(([x, y, width]) => `<path d="M${x} ${y}h${width}"/>`).join('')

/** Each fills 200 × 200 units, and its ground and sky 100 more at both sides. */
const MOTIFS: readonly ((colours: Palette) => string)[] = [
  function boat(colours) {
    const { light, ground, line } = colours
    return `${sun(112, 54, colours)}${below(116, ground)}
<g stroke="${light}" stroke-width="3.5" stroke-linecap="round">${strokes([
      [40, 166, 40],
      [-40, 134, 52],
      [140, 178, 46],
      [208, 140, 40],
      [70, 184, 36],
      [-70, 170, 44],
    ])}</g>
<path d="M50 138h100c-5 16-14 22-26 22H76c-12 0-21-6-26-22z" fill="${line}"/>
<path d="M99 130V42c26 22 40 52 44 88z" fill="${ground}"/><path d="M91 130V58c-16 22-26 46-30 72z" fill="${line}"/>`
  },
  function choir(colours) {
    const { light, ground, line } = colours
    const robes = [-26, 16, 58, 100, 142, 184, 226].map((x, n) => {
      const top = n % 2 === 0 ? 132 : 112
      return `<path d="M${x - 24} 200v-${176 - top}a24 24 0 0 1 48 0v${176 - top}z" fill="${n % 2 === 0 ? ground : line}"/>
<circle cx="${x}" cy="${top - 18}" r="15" fill="${PAPER}" stroke="${INK}" stroke-width="2.5"/><ellipse cx="${x}" cy="${top - 12}" rx="3.5" ry="5" fill="${INK}"/>`
    })
    const back = robes.filter((_robe, n) => n % 2 === 1)
    return `<circle cx="100" cy="130" r="92" fill="${light}"/>${back.join('')}${robes.filter((_robe, n) => n % 2 === 0).join('')}`
  },
  function lamp({ light, ground, line }) {
    return `<path d="M70 84L26 172h148L130 84z" fill="${light}"/>${below(168, ground)}
<path d="M100 0v50" stroke="${line}" stroke-width="4"/><path d="M62 86l20-40h36l20 40z" fill="${line}"/><circle cx="100" cy="92" r="11" fill="${PAPER}"/>
<path d="M66 168v-14h34v14zm6-14v-10h34v10z" fill="${line}"/>
<path d="M124 168c-6-8-6-14-4-22h20c2 8 2 14-4 22z" fill="${PAPER}" stroke="${INK}" stroke-width="2.5"/>`
  },
  function road(colours) {
    const { ground, line } = colours
    return `${sun(100, 46, colours)}<path d="M-100 104l70-44 60 40 34-22 40 26h56l40-48 48 40 52-28v60h-400z" fill="${line}"/>${below(108, ground)}
<path d="M94 108h12l70 92H24z" fill="${INK}"/>
<g fill="${PAPER}"><path d="M99 114h2l.6 10h-3.2z"/><path d="M98 132h4l1 16h-6z"/><path d="M96.5 158h7l2 26h-11z"/></g>`
  },
  function river(colours) {
    const { light, ground, line } = colours
    return `${sun(70, 30, colours)}<path d="M-100 110L-20 66 20 98 66 40l52 62 36-34 56 38 40-30 50 36v20h-400z" fill="${line}"/>${below(108, ground)}
<path d="M92 108c40 12-64 24-20 42 34 14-10 32-44 50h116c20-22 30-40-6-54-36-12 6-26-30-38z" fill="${light}"/>
<g stroke="${line}" stroke-width="2.5" stroke-linecap="round">${strokes([
      [92, 160, 26],
      [84, 178, 30],
      [98, 136, 14],
    ])}</g>`
  },
  function window({ light, ground, line }) {
    return `<path d="M52 28h96v116H52z" fill="${light}" stroke="${line}" stroke-width="7"/><path d="M100 28v116M52 84h96" stroke="${line}" stroke-width="5"/>
<path d="M56 32c0 44-2 76-2 110h20c-4-38 4-76 24-110zM144 32c0 44 2 76 2 110h-20c4-38-4-76-24-110z" fill="${ground}"/>
${below(150, ground)}<path d="M-100 150h400" stroke="${line}" stroke-width="6"/>
<path d="M88 147l-4-22h32l-4 22z" fill="${line}"/><path d="M100 124c-2-16-18-14-20-24 14 0 18 8 20 16 0-14 8-24 20-26 0 16-14 20-20 34z" fill="${line}"/>`
  },
  function train({ light, ground, line }) {
    const windows = [-92, -52, -12, 28, 68].map(
      (x) => `<rect x="${x}" y="98" width="26" height="26" rx="3" fill="${light}"/>`,
    )
    const wheels = [-80, -36, 8, 52, 96, 132].map(
      (x) => `<circle cx="${x}" cy="160" r="12" fill="${INK}" stroke="${PAPER}" stroke-width="3"/>`,
    )
    return `<circle cx="152" cy="46" r="22" fill="${light}"/>${below(170, ground)}
<path d="M-100 84h204c30 0 52 24 56 60v10h-260z" fill="${line}"/><path d="M-100 134h259l1 12h-260z" fill="${ground}"/>
${windows.join('')}<path d="M110 98c18 2 30 12 36 26h-36z" fill="${light}"/>${wheels.join('')}
<path d="M-100 173h400" stroke="${line}" stroke-width="4"/>`
  },
  function birds(colours) {
    const { ground, line } = colours
    const wires = [70, 90, 110, 130, 150].map((y) => `<path d="M-100 ${y}q200 14 400 0"/>`)
    const perched = [
      [30, 61],
      [66, 102],
      [104, 82],
      [140, 123],
      [178, 61],
      [-40, 82],
      [236, 102],
    ].map(
      ([x, y]) =>
        `<path transform="translate(${x} ${y})" d="M-12 12c-8-2-12 4-18 14 8 2 16 0 20-4 10 2 20-4 22-14l8-3-8-3c-2-6-12-8-16-2-3 4-4 8-8 12z" fill="${line}"/>`,
    )
    return `${sun(104, 66, colours)}${below(182, ground)}<g fill="none" stroke="${line}" stroke-width="2.5">${wires.join('')}</g>${perched.join('')}`
  },
]

/**
 * The cover of a song as SVG: a motif and its colours follow from the song's id, so that everybody sees the same one. The motif
 * is a square of 200 units in the middle.
 */
export function songCover(songId: string, { width, height }: { width: number; height: number }): string {
  // the last characters of an id are random
  const random = Number.parseInt(songId.slice(-6), 16) || 0
  const motif = MOTIFS[random % MOTIFS.length]
  const palette = PALETTES[Math.floor(random / MOTIFS.length) % PALETTES.length]
  if (!motif || !palette) throw new Error('a cover needs a motif and colours')
  const side = (200 * width) / height
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${100 - side / 2} 0 ${side} 200">
<rect x="-100" width="400" height="200" fill="${palette.sky}"/>${motif(palette)}</svg>`
}
