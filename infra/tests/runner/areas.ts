import type { Suite } from './suite.ts'

const suite = (name: string, config: string): Suite => ({ name, config, only: [] })

export const SUITES = {
  unit: suite('unit, service, conformance and system tests', 'vitest.config.ts'),
  api: suite('the HTTP API of one product', 'infra/tests/system/api/vitest.config.ts'),
  native: suite(
    'real servers: Kafka, Redis, an S3 store, and the stack made of them',
    'infra/tests/native/vitest.config.ts',
  ),
  browser: suite('the story in a real browser', 'infra/tests/e2e/vitest.config.ts'),
  engines: suite('the story in three browser engines', 'infra/tests/e2e/engines/vitest.config.ts'),
  containers: suite('the product in containers', 'infra/tests/containers/vitest.config.ts'),
  nightly: suite('what takes too long for every change', 'infra/tests/nightly/vitest.config.ts'),
}

const units = (...only: string[]): Suite => ({ ...SUITES.unit, only })

/** `make test AREA=…`: the suites of a part of the product. */
export const AREAS: Readonly<Record<string, readonly Suite[]>> = {
  ...Object.fromEntries(
    ['songs', 'credits', 'payments', 'storage', 'notifier', 'platform'].map((name) => [
      name,
      [units(`services/${name}/`)],
    ]),
  ),
  // their fixtures and generated page are checked too
  contracts: [units('services/contracts/', 'infra/tests/rules/docs.test.ts')],
  events: [
    units(
      ...['aggregates', 'batch', 'bus', 'consumer', 'events', 'log-reader'].map(
        (name) => `services/platform/test/${name}.test.ts`,
      ),
    ),
    { ...SUITES.native, only: ['infra/tests/native/kafka-bus.test.ts'] },
  ],
  gateway: [units('gateway/')],
  web: [units('web/')],
  infra: [units('infra/')],
  system: [units('infra/tests/system/'), SUITES.api],
  native: [SUITES.native],
  e2e: [SUITES.browser, SUITES.engines],
  engines: [SUITES.engines],
  containers: [SUITES.containers],
  // not in a run of all tests: it takes minutes
  nightly: [SUITES.nightly],
}
