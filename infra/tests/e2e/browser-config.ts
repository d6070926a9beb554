import { shared } from '../support/shared-config.ts'

/** What the configurations of all browser tests share; `config` is the path of one. */
export const browserTests = (config: string) => ({
  ...shared(config),
  root: import.meta.dirname,
  globalSetup: ['setup.ts', 'studio-setup.ts'],
  fileParallelism: false,
  testTimeout: 120_000,
  hookTimeout: 180_000,
})
