import { defineConfig } from 'vitest/config'
import { browserTests } from '../browser-config.ts'

/** The main flow in three browser engines: `make test AREA=engines`. */
export default defineConfig({
  test: {
    ...browserTests('infra/tests/e2e/engines/vitest.config.ts'),
    include: ['engines.test.ts'],
  },
})
