import { defineConfig } from 'vitest/config'
import { shared } from '../support/shared-config.ts'

/** Tests on a container engine: the product as `docker-compose.yml` runs it, and the adapters on servers in containers. */
export default defineConfig({
  test: {
    ...shared('infra/tests/containers/vitest.config.ts'),
    root: new URL('../../..', import.meta.url).pathname,
    include: [
      'infra/tests/containers/*.test.ts',
      'infra/tests/native/{kafka-bus,kafka-faults,redis-key-value,s3-blobs}.test.ts',
    ],
    globalSetup: ['infra/tests/support/postgres-setup.ts'],
    env: { SERVERS: 'containers' },
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
