import { openKeyValue } from '@prelude/gateway'
import { systemClock } from '@prelude/platform'
import { testLogger } from '@prelude/platform/testing'
import type { KeyValueUnderTest } from '@prelude/gateway/conformance'

let database = 0

/** Two connections to a database of their own on the Redis at this URL. */
export function twoConnections(url: string): KeyValueUnderTest & { url: string } {
  const own = `${url}/${database++}`
  const [one, two] = [
    openKeyValue(own, testLogger(), systemClock),
    openKeyValue(own, testLogger(), systemClock),
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
