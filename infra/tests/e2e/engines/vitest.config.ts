import { defineConfig } from 'vitest/config'
import { shared } from '../../support/shared-config.ts'

/** The main flow in three browser engines: `make test AREA=engines`. It needs the web app's build. */
export default defineConfig({
  test: {
    ...shared('infra/tests/e2e/engines/vitest.config.ts'),
    root: import.meta.dirname,
    include: ['engines.night.test.ts'],
    globalSetup: 'studio-setup.ts',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
