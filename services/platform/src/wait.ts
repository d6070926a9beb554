/** Waiting that can be cut short: one waiter, any number of wakers; a wake before the wait is not lost. */
export function signal(): { wake(): void; for(ms: number, options?: { deaf?: boolean }): Promise<boolean> } {
  let woken = false
  let end: (() => void) | undefined
  return {
    wake: () => {
      woken = true
      end?.()
    },
    /** Resolves after `ms`, or at once when woken: true then. `deaf`: only time ends it (a pause after an error). */
    for: (ms, { deaf = false } = {}) =>
      new Promise<boolean>((resolve) => {
        if (woken && !deaf) {
          woken = false
          resolve(true)
          return
        }
        const timer = setTimeout(done, ms)
        function done(): void {
          clearTimeout(timer)
          const wasWoken = woken && !deaf
          if (!deaf) {
            woken = false
            end = undefined
          }
          resolve(wasWoken)
        }
        if (!deaf) end = done
      }),
  }
}
