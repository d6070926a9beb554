/** By how much the clock of this browser is ahead of the server's. */
let aheadMs = 0

/** `date`: the header of an answer that no cache has kept. */
export function compareClock(date: string | null): void {
  const at = Date.parse(date ?? '')
  if (!Number.isNaN(at)) aheadMs = Date.now() - at
}

/** The time of the server, to a few seconds. */
export const serverNow = (): number => Date.now() - aheadMs
