/** What of the tests an area runs: vitest's files by parts of their paths, and Playwright's. */
export interface Area {
  readonly vitest?: readonly string[]
  readonly browser?: readonly string[]
}

const service = (name: string): Area => ({ vitest: [`services/${name}/`] })

/** `make test AREA=…`: the tests of the gate for a part of the product. */
export const AREAS: Readonly<Record<string, Area>> = {
  songs: service('songs'),
  credits: service('credits'),
  payments: service('payments'),
  storage: service('storage'),
  notifier: service('notifier'),
  platform: service('platform'),
  // their fixtures and generated page are checked too
  contracts: { vitest: ['services/contracts/', 'infra/tests/rules/docs.test.ts'] },
  events: {
    vitest: [
      ...['aggregates', 'batch', 'bus', 'consumer', 'events', 'log-reader'].map(
        (name) => `services/platform/test/${name}.test.ts`,
      ),
      'infra/tests/native/kafka-bus.test.ts',
    ],
  },
  gateway: { vitest: ['gateway/'] },
  web: { vitest: ['web/'] },
  infra: { vitest: ['infra/'] },
  system: { vitest: ['infra/tests/system/'] },
  servers: { vitest: ['infra/tests/native/'] },
  e2e: { browser: [''] },
}

/** Paths that a part of the night guards alone: who changes one of them runs that part. */
const GUARDED_AT_NIGHT: readonly (readonly [part: string, paths: RegExp])[] = [
  ['containers', /^(docker-compose|infra\/(docker|haproxy)\/)/],
  ['manifests', /^infra\/(k8s|docker)\/|^docker-compose/],
  ['servers', /^services\/platform\/src\/events\/kafka\/|^infra\/tests\/(servers|distributed)\//],
  ['move', /^infra\/(move|cli)\/|\/migrations\//],
  ['monitoring', /^infra\/observability\//],
  ['engines', /^infra\/tests\/e2e\/engines|^web\/src\/(ui|features)\/player/],
]

/** The parts of the night that alone guard what changed. */
export const guardsOf = (changed: readonly string[]): string[] =>
  GUARDED_AT_NIGHT.filter(([, paths]) => changed.some((path) => paths.test(path))).map(([part]) => part)
