/** Cover art of the two samples; its colours do not follow the theme. */

const INK = '#1b1714'
const PAPER = '#f5efe3'
const RED = '#c2341a'
const TEAL = '#1f5e5b'
const GOLD = '#e0a234'

interface Stroke {
  readonly x: number
  readonly y: number
  readonly width: number
}

/** Reflections of the sun, narrower with distance. */
const LIGHT: readonly Stroke[] = [
  { x: 62, y: 122, width: 76 },
  { x: 74, y: 132, width: 58 },
  { x: 58, y: 143, width: 66 },
  { x: 84, y: 154, width: 46 },
  { x: 70, y: 165, width: 34 },
  { x: 96, y: 176, width: 30 },
  { x: 82, y: 187, width: 22 },
]
const WAVES: readonly Stroke[] = [
  { x: 12, y: 128, width: 34 },
  { x: 152, y: 136, width: 38 },
  { x: 18, y: 152, width: 26 },
  { x: 146, y: 160, width: 26 },
  { x: 30, y: 176, width: 30 },
  { x: 138, y: 184, width: 44 },
]

/** Lagos light on the water: a low sun, a canoe, the lagoon. */
export function LagoonCover({ className }: { className: string | undefined }) {
  return (
    <svg
      aria-hidden
      className={className}
      viewBox="0 0 200 200"
      preserveAspectRatio="xMidYMid slice"
      width="200"
      height="200"
    >
      <rect width="200" height="200" fill={RED} />
      <circle cx="100" cy="112" r="56" fill={GOLD} />
      <rect y="112" width="200" height="88" fill={TEAL} />
      <g stroke={GOLD} strokeWidth="3.5" strokeLinecap="round">
        {LIGHT.map(({ x, y, width }) => (
          <path key={y} d={`M${x} ${y}h${width}`} />
        ))}
      </g>
      <g stroke={PAPER} strokeWidth="2" strokeLinecap="round" opacity="0.55">
        {WAVES.map(({ x, y, width }) => (
          <path key={y} d={`M${x} ${y}h${width}`} />
        ))}
      </g>
      <path d="M112 138c16 9 46 9 64 0-6 15-12 18-32 18s-27-3-32-18z" fill={INK} />
      <path
        d="M143 139v-24m0 2a6 6 0 1 0 .1-12 6 6 0 0 0-.1 12zm-3 4 16 26"
        stroke={INK}
        strokeWidth="4"
        fill={INK}
      />
    </svg>
  )
}

/** The pipes of an organ; their heights are a waveform. */
const PIPES = [58, 76, 96, 118, 134, 118, 96, 76, 58] as const

/** Morning came in: a pale sun behind the pipes of an organ. */
export function OrganCover({ className }: { className: string | undefined }) {
  return (
    <svg
      aria-hidden
      className={className}
      viewBox="0 0 200 200"
      preserveAspectRatio="xMidYMid slice"
      width="200"
      height="200"
    >
      <rect width="200" height="200" fill={INK} />
      <circle cx="100" cy="86" r="60" fill={GOLD} />
      {PIPES.map((height, index) => (
        <g key={15 + index * 19} transform={`translate(${17 + index * 19} ${178 - height})`}>
          <path d={`M0 7l7-7 7 7v${height - 7}h-14z`} fill={index === 4 ? RED : PAPER} />
          <path d={`M3 ${height - 26}h8l-4 8z`} fill={INK} />
        </g>
      ))}
      <rect y="178" width="200" height="22" fill={RED} />
      <path d="M0 178h200" stroke={INK} strokeWidth="3" />
    </svg>
  )
}
