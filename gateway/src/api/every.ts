import type { Clock } from '@prelude/platform'

/** Runs `work` every `everyMs` until the signal aborts. */
export async function every(
  clock: Clock,
  everyMs: number,
  over: AbortSignal,
  work: () => void,
): Promise<void> {
  for (;;) {
    await clock.wait(everyMs, over)
    if (over.aborted) return
    work()
  }
}
