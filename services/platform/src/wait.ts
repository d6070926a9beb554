/** Waiting that can be cut short: one waiter, any number of wakers; a wake before the wait is not lost. */
export function signal(): { wake(): void; for(ms: number): Promise<boolean> } {
  let woken = false
  let end: (() => void) | undefined
  return {
    wake: () => {
      woken = true
      end?.()
    },
    /** Resolves after `ms`, or at once when woken: true then. */
    for: (ms) =>
      new Promise<boolean>((resolve) => {
        const timer = setTimeout(done, ms)
        function done(): void {
          clearTimeout(timer)
          resolve(woken)
          woken = false
          end = undefined
        }
        end = done
        if (woken) done()
      }),
  }
}
