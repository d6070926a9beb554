import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{gateway,infra,web}/**/*.test.{ts,tsx}', 'services/*/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'infra/e2e/**', 'infra/{native,stack,move,observability}/**'],
    globalSetup: ['infra/testing/postgres-setup.ts'],
    // two cores: more workers only slow each other down
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 50 } },
  },
})
