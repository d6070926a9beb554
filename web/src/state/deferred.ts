/** A promise with the functions that settle it: `Promise.withResolvers` is newer than the oldest browsers (docs/decisions/0049). */
export function deferred<T>() {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}
