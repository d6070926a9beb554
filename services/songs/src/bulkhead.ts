import { Unavailable } from '@prelude/platform'

/**
 * Bulkhead (semaphore): at most `most` pieces of work run at once, the others wait in order. Errors: Unavailable after
 * `waitMs` of waiting.
 */
export function bulkhead({ most, waitMs }: { most: number; waitMs: number }) {
  const waiting = new Set<() => void>()
  let running = 0
  const enter = (): Promise<void> => {
    if (running < most) {
      running++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(admit)
        reject(new Unavailable('a slot', `all ${most} are taken for ${waitMs} ms`))
      }, waitMs)
      const admit = (): void => {
        clearTimeout(timer)
        resolve()
      }
      waiting.add(admit)
    })
  }
  /** The slot goes to the work that has waited longest. */
  const leave = (): void => {
    const [next] = waiting
    if (next) {
      waiting.delete(next)
      next()
    } else running--
  }
  return async <T>(work: () => Promise<T>): Promise<T> => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
