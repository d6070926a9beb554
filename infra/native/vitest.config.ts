import { defineConfig } from 'vitest/config'
import { shared } from '../testing/shared-config.ts'

/** Tests on real servers, one file after the other: each starts several servers. */
export default defineConfig({
  test: {
    ...shared('infra/native/vitest.config.ts'),
    root: new URL('../..', import.meta.url).pathname,
    include: ['infra/{native,stack,move,observability}/test/*.test.ts'],
    globalSetup: ['infra/testing/postgres-setup.ts'],
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
