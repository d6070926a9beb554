/** Counts what is in flight here, by key. A call enters and gets what leaves; null while there are `most` of its key. */
export function inFlight(): (key: string, most: number) => (() => void) | null {
  const counts = new Map<string, number>()
  return (key, most) => {
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
