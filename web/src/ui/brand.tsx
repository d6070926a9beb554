/** The logo: a cassette with one open and one filled reel. */
export function Logo({ size = 34 }: { size?: number }) {
  return (
    <svg aria-hidden width={size} height={(size * 24) / 34} viewBox="0 0 34 24" fill="none">
      <rect x="1" y="1" width="32" height="22" rx="3" stroke="currentColor" strokeWidth="2" />
      <circle cx="11.5" cy="10" r="4" stroke="currentColor" strokeWidth="2" />
      <circle cx="22.5" cy="10" r="5" fill="var(--record)" />
      <path d="M7 23l2-5h16l2 5" stroke="currentColor" strokeWidth="2" />
    </svg>
  )
}

/** The spinner: a small reel, still under reduced motion. */
export function Reel() {
  return (
    <svg aria-hidden width="16" height="16" viewBox="0 0 16 16" fill="none" className="reel">
      <circle cx="8" cy="8" r="7" stroke="currentColor" strokeWidth="1.6" />
      <path
        d="M8 1v5M8 10v5M2 11.5l4.2-2.4M9.8 6.9L14 4.5M2 4.5l4.2 2.4M9.8 9.1l4.2 2.4"
        stroke="currentColor"
        strokeWidth="1.4"
      />
    </svg>
  )
}
