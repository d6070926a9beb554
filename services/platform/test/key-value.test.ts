import { postgresKeyValue } from '../src/key-value/postgres-kv.ts'
import { testLogger, testPorts } from '../src/testing/index.ts'
import { keyValueConformance } from './conformance/key-value.ts'

keyValueConformance('postgres key-value', async () => {
  const ports = await testPorts()
  const two = postgresKeyValue({ url: ports.kvUrl, logger: testLogger() })
  return {
    one: ports.kv,
    two,
    [Symbol.asyncDispose]: async () => {
      await two.close()
      await ports[Symbol.asyncDispose]()
    },
  }
})
