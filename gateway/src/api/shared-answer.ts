import type { Clock } from '@prelude/platform'

/** Concurrent readers, and those of the next `freshForMs`, share one answer. A failure is not kept: the next reader tries again. */
export function sharedAnswer<T>(
  clock: Pick<Clock, 'now'>,
  freshForMs: number,
  read: () => Promise<T>,
): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined
  return () => {
    const now = clock.now()
    if (last && Math.abs(now - last.at) <= freshForMs) return last.answer
    const reading = { at: now, answer: read() }
    reading.answer.catch(() => {
      if (last === reading) last = undefined
    })
    last = reading
    return reading.answer
  }
}
