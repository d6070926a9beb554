import { open } from '@prelude/platform'
import { keyValueConformance, keyValueOutages, type KeyValueOutage } from '@prelude/platform/conformance'
import { testLogger } from '@prelude/platform/testing'
import { withServer } from '../support/with-server.ts'

await withServer('Redis', (server) => {
  let database = 0
  const connected = async (): Promise<KeyValueOutage> => {
    const redis = server()
    const url = `${redis.url}/${database++}`
    const [one, two] = [open.keyValue(url, testLogger()), open.keyValue(url, testLogger())]
    return {
      one,
      two,
      stop: () => server().stop(),
      start: () => server().start(),
      freeze: () => server().freeze(),
      thaw: () => server().thaw(),
      [Symbol.asyncDispose]: async () => {
        await Promise.all([one.close(), two.close()])
      },
    }
  }
  keyValueConformance('redis key-value', connected)
  keyValueOutages('redis key-value', connected)
})
