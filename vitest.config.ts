import { defineConfig } from 'vitest/config'
import { NIGHTLY, shared } from './infra/tests/support/shared-config.ts'

export default defineConfig({
  test: {
    ...shared('vitest.config.ts'),
    include: ['{gateway,infra,web}/**/*.test.{ts,tsx}', 'services/*/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      'infra/tests/{containers,e2e,native,stack,move,observability,system/api}/**',
      ...NIGHTLY,
    ],
    globalSetup: ['infra/tests/support/postgres-setup.ts'],
    // two cores: more workers only slow each other down
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
