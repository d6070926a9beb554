import { defineConfig } from 'vitest/config'
import { NIGHTLY, shared } from '../../support/shared-config.ts'

/** The HTTP API of one product, which runs for all files. */
export default defineConfig({
  test: {
    ...shared('infra/tests/system/api/vitest.config.ts'),
    root: new URL('../../../..', import.meta.url).pathname,
    include: ['infra/tests/system/api/*.test.ts'],
    exclude: ['**/node_modules/**', ...NIGHTLY],
    globalSetup: ['infra/tests/system/api/product-setup.ts'],
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
