import type { Suite } from './suite.ts'

const UNIT = { name: 'unit, service, conformance and system tests', config: 'vitest.config.ts' }
const NATIVE = {
  name: 'real servers: Kafka, Redis, an S3 store, and the stack made of them',
  config: 'infra/tests/native/vitest.config.ts',
}
const BROWSER = { name: 'the story in a real browser', config: 'infra/tests/e2e/vitest.config.ts' }

const service = (name: string): Suite => ({ ...UNIT, only: [`services/${name}/`] })

export const SUITES = {
  unit: { ...UNIT, only: [] },
  native: { ...NATIVE, only: [] },
  browser: { ...BROWSER, only: [] },
}

/** `make test AREA=…`: the suites of a part of the product. */
export const AREAS: Readonly<Record<string, readonly Suite[]>> = {
  ...Object.fromEntries(
    ['songs', 'credits', 'payments', 'storage', 'notifier', 'platform'].map((name) => [
      name,
      [service(name)],
    ]),
  ),
  // their fixtures and generated page are checked too
  contracts: [{ ...UNIT, only: ['services/contracts/', 'infra/tests/rules/docs.test.ts'] }],
  events: [
    {
      ...UNIT,
      only: ['aggregates', 'batch', 'bus', 'chaos', 'consumer', 'events', 'log-reader'].map(
        (name) => `services/platform/test/${name}.test.ts`,
      ),
    },
    { ...NATIVE, only: ['infra/tests/native/kafka-bus.test.ts'] },
  ],
  gateway: [{ ...UNIT, only: ['gateway/'] }],
  web: [{ ...UNIT, only: ['web/'] }],
  infra: [{ ...UNIT, only: ['infra/'] }],
  system: [{ ...UNIT, only: ['infra/tests/system/'] }],
  native: [SUITES.native],
  e2e: [SUITES.browser],
}
