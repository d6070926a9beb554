import { defineConfig } from 'vitest/config'
import { shared } from '../support/shared-config.ts'

/** The rules of the source tree, which need no server: part of `make check`. `make test` runs them with the unit tests. */
export default defineConfig({
  test: {
    ...shared('infra/tests/rules/vitest.config.ts'),
    root: new URL('../../..', import.meta.url).pathname,
    include: ['infra/tests/rules/*.test.ts'],
    testTimeout: 30_000, // the other checks of `make check` run beside them
  },
})
