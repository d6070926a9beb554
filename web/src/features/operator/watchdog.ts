/** Calls `onSilence` once it has not been restarted for `ms`. It runs from its first restart on. */
export function watchdog(ms: number, onSilence: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    restart: (): void => {
      clearTimeout(timer)
      timer = setTimeout(onSilence, ms)
    },
    stop: (): void => clearTimeout(timer),
  }
}
