import type { ServiceName } from '@prelude/contracts'
import { testLogger, testPorts } from '@prelude/platform/testing'
import { KV_SCHEMA, postgresKeyValue } from '../src/api/key-value/postgres-kv.ts'

/** The embedded bus and key-value store on a database of their own, with the event logs of these services. */
export async function gatewayPorts(services: readonly ServiceName[] = []) {
  const ports = await testPorts(services, [KV_SCHEMA])
  const kvUrl = ports.urlOf(KV_SCHEMA.schema)
  const kv = postgresKeyValue({ url: kvUrl, logger: testLogger(), clock: ports.clock })
  return {
    ...ports,
    kvUrl,
    kv,
    [Symbol.asyncDispose]: async () => {
      await kv.close()
      await ports[Symbol.asyncDispose]()
    },
  }
}
