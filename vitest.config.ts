import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { SHARED } from './infra/tests/support/shared-config.ts'

const POSTGRES = 'infra/tests/support/postgres-setup.ts'
/** Left out of the gate by its name alone. */
const NIGHT = '**/*.night.test.ts'

/** Files share a process and its modules, which keep no state: to import them for each file costs a second of processor time. */
const TOGETHER = { isolate: false }

/** `order`: projects of the same number run side by side, after those with a lower one. */
const project = (
  name: string,
  order: number,
  test: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { exclude: ['**/node_modules/**', NIGHT], sequence: { groupOrder: order }, ...test, name },
})

/** A project is a kind of tests; `infra/tests/gate` says which of them run when. */
export default defineConfig({
  test: {
    ...SHARED,
    reporters: ['default', 'infra/tests/gate/vitest-reporter.ts'],
    maxWorkers: 3, // on two cores: tests wait for databases, servers and products a third of the time
    projects: [
      project('rules', 0, { ...TOGETHER, include: ['infra/tests/rules/*.test.ts'] }),
      project('unit', 1, {
        ...TOGETHER,
        include: [
          'gateway/**/*.test.ts',
          'services/*/test/**/*.test.ts',
          'infra/tests/{distributed,docker,embedded,gate,invariants,move,observability,prepare,soak,stand-ins,support}/**/*.test.ts',
        ],
        globalSetup: [POSTGRES],
      }),
      // modules of a page keep its state, and tests replace globals of the browser
      project('web', 1, { include: ['web/**/*.test.{ts,tsx}'] }),
      project('system', 2, { include: ['infra/tests/system/*.test.ts'], globalSetup: [POSTGRES] }),
      // one product for all of them
      project('api', 2, {
        ...TOGETHER,
        include: ['infra/tests/system/api/*.test.ts'],
        globalSetup: ['infra/tests/system/api/product-setup.ts'],
      }),
      project('servers', 2, { include: ['infra/tests/native/*.test.ts'], globalSetup: [POSTGRES] }),
      project('night', 3, {
        include: [NIGHT],
        exclude: ['**/node_modules/**', 'infra/tests/{containers,e2e,faults}/**'],
        globalSetup: [POSTGRES],
        fileParallelism: false,
      }),
      project('engines', 4, {
        include: ['infra/tests/e2e/engines/engines.night.test.ts'],
        exclude: ['**/node_modules/**'],
        globalSetup: ['infra/tests/e2e/engines/studio-setup.ts'],
        fileParallelism: false,
      }),
      project('containers', 5, {
        include: [
          'infra/tests/containers/*.night.test.ts',
          'infra/tests/native/{kafka-bus,kafka-faults,redis-key-value,s3-blobs}*.test.ts',
        ],
        exclude: ['**/node_modules/**'],
        globalSetup: [POSTGRES],
        fileParallelism: false,
        env: { SERVERS: 'containers' },
      }),
      project('faults', 6, {
        include: ['infra/tests/faults/*.night.test.ts'],
        exclude: ['**/node_modules/**'],
        fileParallelism: false,
      }),
    ],
  },
})
