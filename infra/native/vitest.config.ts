import { defineConfig } from 'vitest/config'

/** Tests on real servers, one file after the other: each starts several servers. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['infra/{native,stack,move,observability}/test/*.test.ts'],
    // Grafana is in no package registry: its test needs an installed one
    exclude: process.env['GRAFANA_HOME'] === undefined ? ['infra/observability/test/grafana.test.ts'] : [],
    globalSetup: ['infra/testing/postgres-setup.ts'],
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 50 } },
  },
})
