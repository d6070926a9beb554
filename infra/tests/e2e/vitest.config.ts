import { defineConfig } from 'vitest/config'
import { browserTests } from './browser-config.ts'

export default defineConfig({
  test: {
    ...browserTests('infra/tests/e2e/vitest.config.ts'),
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', 'engines.test.ts'], // it has a configuration of its own
  },
})
