const TEETH = [0, 60, 120, 180, 240, 300] as const

/** `recording`: the default, one red reel. `none`: empty. `full`: both takes, a success. `spilled`: loose tape, an error. */
export type Tape = 'recording' | 'none' | 'full' | 'spilled'

const REELS: Record<Tape, { left?: string; right?: string }> = {
  recording: { right: 'record' },
  none: {},
  full: { left: 'record', right: 'teal' },
  spilled: {},
}

/** Illustration of a cassette, as a line drawing. */
export function Cassette({ className, tape = 'recording' }: { className: string | undefined; tape?: Tape }) {
  const { left, right } = REELS[tape]
  const height = tape === 'spilled' ? 272 : 216
  return (
    <svg
      aria-hidden
      className={className}
      viewBox={`0 0 340 ${height}`}
      width="340"
      height={height}
      fill="none"
    >
      {tape === 'spilled' && <LooseTape />}
      <g stroke="currentColor" strokeWidth="2.5" strokeLinejoin="round">
        <rect x="2" y="2" width="336" height="212" rx="12" fill="var(--sheet)" />
        <path d="M74 213l14-46h164l14 46" />
        <rect x="26" y="22" width="288" height="126" rx="6" fill="var(--paper)" />
        <path d="M26 52h288" />
        <rect x="76" y="66" width="188" height="64" rx="32" fill="var(--sheet)" />
        <path d="M150 82h40v32h-40z" />
        <circle cx="112" cy="98" r="22" fill={left && `var(--${left})`} />
        <circle cx="228" cy="98" r="22" fill={right && `var(--${right})`} />
      </g>
      <Teeth x={112} colour={left ? `var(--on-${left})` : 'currentColor'} />
      <Teeth x={228} colour={right ? `var(--on-${right})` : 'currentColor'} />
      {tape !== 'none' && (
        <g strokeWidth="5" strokeLinecap="round">
          <path d="M46 38h150" stroke="var(--teal)" />
          <path d="M46 38h92" stroke="var(--record)" />
        </g>
      )}
      <g fill="currentColor">
        <circle cx="16" cy="16" r="3" />
        <circle cx="324" cy="16" r="3" />
        <circle cx="16" cy="200" r="3" />
        <circle cx="324" cy="200" r="3" />
        <circle cx="118" cy="192" r="6" />
        <circle cx="222" cy="192" r="6" />
      </g>
    </svg>
  )
}

function Teeth({ x, colour }: { x: number; colour: string }) {
  return (
    <g className="hub" stroke={colour} strokeWidth="4" strokeLinecap="round">
      {TEETH.map((angle) => (
        <path key={angle} d={`M${x} 88v-5`} transform={`rotate(${angle} ${x} 98)`} />
      ))}
    </g>
  )
}

/** Loose tape below the cassette. */
const LooseTape = () => (
  <path
    d="M118 192c-8 40-52 44-56 64s44 12 66-8 38-42 58-30-6 46 26 46 52-30 40-46-38-4-30-26"
    stroke="var(--record)"
    strokeWidth="4"
    strokeLinecap="round"
  />
)
