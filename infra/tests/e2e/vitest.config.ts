import { defineConfig } from 'vitest/config'
import { shared } from '../support/shared-config.ts'

export default defineConfig({
  test: {
    ...shared('infra/tests/e2e/vitest.config.ts'),
    root: new URL('.', import.meta.url).pathname,
    include: ['**/*.test.ts'],
    globalSetup: ['setup.ts', 'studio-setup.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
})
