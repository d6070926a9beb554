/** Milliseconds as m:ss. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** How long ago, in words. */
export function ago(at: number, now = Date.now()): string {
  for (const [unit, ms] of STEPS)
    if (now - at >= ms) return RELATIVE.format(-Math.floor((now - at) / ms), unit)
  return 'just now'
}
