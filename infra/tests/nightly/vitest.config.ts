import { defineConfig } from 'vitest/config'
import { NIGHTLY, shared } from '../support/shared-config.ts'

/** Tests that take too long for every change: `make test AREA=nightly`. */
export default defineConfig({
  test: {
    ...shared('infra/tests/nightly/vitest.config.ts'),
    root: new URL('../../..', import.meta.url).pathname,
    include: [...NIGHTLY],
    globalSetup: ['infra/tests/support/postgres-setup.ts'],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
