/** Counts what is in flight on this instance, by key. A call enters and answers what leaves; null while there are `most`. */
export function inFlight(most: number): (key: string) => (() => void) | null {
  const counts = new Map<string, number>()
  return (key) => {
    const before = counts.get(key) ?? 0
    if (before >= most) return null
    counts.set(key, before + 1)
    return () => {
      const left = (counts.get(key) ?? 1) - 1
      if (left === 0) counts.delete(key)
      else counts.set(key, left)
    }
  }
}
