import { defineConfig } from 'vitest/config'
import { NIGHTLY, shared } from '../support/shared-config.ts'

/** Tests on real servers, one file after the other: each starts several servers. */
export default defineConfig({
  test: {
    ...shared('infra/tests/native/vitest.config.ts'),
    root: new URL('../../..', import.meta.url).pathname,
    include: ['infra/tests/{native,stack,move,observability}/*.test.ts'],
    exclude: ['**/node_modules/**', ...NIGHTLY],
    globalSetup: ['infra/tests/support/postgres-setup.ts'],
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
