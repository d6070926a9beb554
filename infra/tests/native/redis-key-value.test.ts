import { keyValueConformance } from '@prelude/platform/conformance'
import { withServer } from '../support/with-server.ts'
import { twoConnections } from './redis-databases.ts'

await withServer('Redis', (server) => {
  keyValueConformance('redis key-value', async () => twoConnections(server().url))
})
