import { open, systemClock } from '@prelude/platform'
import type { KeyValueUnderTest } from '@prelude/platform/conformance'
import { testLogger } from '@prelude/platform/testing'

let database = 0

/** Two connections to a database of their own on the Redis at this URL. */
export function twoConnections(url: string): KeyValueUnderTest & { url: string } {
  const own = `${url}/${database++}`
  const [one, two] = [
    open.keyValue(own, testLogger(), systemClock),
    open.keyValue(own, testLogger(), systemClock),
  ]
  return {
    url: own,
    one,
    two,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([one.close(), two.close()])
    },
  }
}
