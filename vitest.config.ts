import { defineConfig } from 'vitest/config'
import { shared } from './infra/testing/shared-config.ts'

export default defineConfig({
  test: {
    ...shared('vitest.config.ts'),
    include: ['{gateway,infra,web}/**/*.test.{ts,tsx}', 'services/*/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'infra/e2e/**', 'infra/{native,stack,move,observability}/**'],
    globalSetup: ['infra/testing/postgres-setup.ts'],
    // two cores: more workers only slow each other down
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
