const RECENT_MS = 60_000

let inputAt = -Infinity

/** Subscribes to input of the person at this page. */
export function onInput(listener: () => void): () => void {
  const ended = new AbortController()
  const options = { capture: true, passive: true, signal: ended.signal }
  const listen = ({ isTrusted }: Event): void => {
    if (isTrusted) listener() // not what a script clicks
  }
  for (const type of ['pointerdown', 'keydown', 'wheel']) addEventListener(type, listen, options)
  return () => ended.abort()
}

/** Call once. */
export const watchInput = (): void => void onInput(() => (inputAt = Date.now()))

/** Whether somebody has used this page within the last minute, so that its requests are theirs. */
export const hasRecentInput = (): boolean => Date.now() - inputAt < RECENT_MS
