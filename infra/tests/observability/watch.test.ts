import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ServiceState, SILENT_AFTER_MS } from '@prelude/contracts'
import { findingsIn } from '@prelude/notifier/rules'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

/** The product's own watch and the rules of Prometheus fire at the same limits, after the same time. */

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly watch?: string }
}

const ROOT = resolve(import.meta.dirname, '../../..')
const { groups } = parse(await readFile(join(ROOT, 'infra/observability/prometheus/alerts.yml'), 'utf8')) as {
  groups: { rules: Rule[] }[]
}
const watched = groups.flatMap(({ rules }) => rules).filter(({ labels }) => labels.watch === 'product')

const NOW = Date.UTC(2026, 0, 31)
const INSTANCE: ServiceState['instances'][number] = {
  id: 'one:9000',
  pid: 1,
  startedAt: NOW,
  seenAt: NOW,
  dependencies: [],
  leads: true,
  attemptAt: NOW,
  connections: { used: 1, most: 8, waiting: 0 },
  failingJobs: [],
  notes: null,
}
const WELL: ServiceState = { instances: [INSTANCE], backlog: null, topics: [], deadLetters: [], gauges: {} }
const instance = (change: Partial<typeof INSTANCE>): ServiceState => ({
  ...WELL,
  instances: [{ ...INSTANCE, ...change }],
})

/** Rules that are not about the highest value of one gauge: what the watch must find, and must not find. */
const CASES: Readonly<Record<string, readonly [bad: ServiceState | null, good: ServiceState]>> = {
  PreludeServiceDown: [null, WELL],
  PreludeDependencyDown: [
    instance({ dependencies: [{ name: 'bus', state: 'degraded', since: NOW }] }),
    instance({ dependencies: [{ name: 'bus', state: 'ok', since: NOW }] }),
  ],
  PreludeInstanceDown: [instance({ seenAt: NOW - SILENT_AFTER_MS }), instance({ seenAt: NOW })],
  PreludeConsumerStalled: [instance({ attemptAt: NOW - 120_001 }), instance({ attemptAt: NOW - 120_000 })],
  PreludeConnectionsExhausted: [
    instance({ connections: { used: 8, most: 8, waiting: 1 } }),
    instance({ connections: { used: 7, most: 8, waiting: 0 } }),
  ],
  PreludeJobFailing: [
    instance({ failingJobs: [{ name: 'sweep', failures: 3, error: 'Error' }] }),
    instance({ failingJobs: [{ name: 'sweep', failures: 2, error: 'Error' }] }),
  ],
  PreludeEventsNotForwarded: [
    { ...WELL, backlog: { events: 1, ageSeconds: 61 } },
    { ...WELL, backlog: { events: 1, ageSeconds: 60 } },
  ],
  PreludeDeadLetters: [topic({ deadLetters: 1 }), topic({})],
  PreludeConsumerLagging: [topic({ lag: 1_001 }), topic({ lag: 1_000 })],
  PreludeInvariantBroken: [
    { ...WELL, gauges: { 'prelude_invariant_breaches{invariant="sums"}': 1 } },
    { ...WELL, gauges: { 'prelude_invariant_breaches{invariant="sums"}': 0 } },
  ],
  PreludeBackupOld: [
    { ...WELL, gauges: { 'prelude_backup_age_seconds{kind="all"}': 26 * 3_600 + 1 } },
    { ...WELL, gauges: { 'prelude_backup_age_seconds{kind="all"}': 26 * 3_600 } },
  ],
  PreludeCertificateExpires: [
    { ...WELL, gauges: { prelude_certificate_left_seconds: 14 * 86_400 - 1 } },
    { ...WELL, gauges: { prelude_certificate_left_seconds: 14 * 86_400 } },
  ],
  PreludeDiskLow: [
    { ...WELL, gauges: { prelude_disk_free_bytes: 9, prelude_disk_size_bytes: 100 } },
    { ...WELL, gauges: { prelude_disk_free_bytes: 10, prelude_disk_size_bytes: 100 } },
  ],
}

function topic(change: Partial<ServiceState['topics'][number]>): ServiceState {
  return { ...WELL, topics: [{ topic: 'prelude.songs', lag: 0, deadLetters: 0, parkedKeys: 0, ...change }] }
}

/** A suspicious payment has a mail of its own. */
const APART = new Set(['PreludePaymentSuspicious'])

/** The state at the limit of `max(gauge) > limit`, which is good, and just above it. */
function casesOf({ alert, expr }: Rule): readonly [ServiceState | null, ServiceState] {
  const [, gauge, limit] = /^max\((.+)\) > ([\d *]+)$/.exec(expr) ?? []
  if (gauge === undefined || limit === undefined) return CASES[alert] ?? [WELL, WELL]
  const value = limit.split('*').reduce((product, factor) => product * Number(factor), 1)
  return [
    { ...WELL, gauges: { [gauge]: value + 1 } },
    { ...WELL, gauges: { [gauge]: value } },
  ]
}

const milliseconds = (time = '0m'): number =>
  Number.parseInt(time) * { s: 1_000, m: 60_000 }[time.at(-1) as 's' | 'm']

test('the watch has the limits and the times of the rules', () => {
  const found = (state: ServiceState | null) =>
    findingsIn({ songs: state }, NOW).map(({ name, forMs }) => [name, forMs])
  for (const rule of watched.filter(({ alert }) => !APART.has(alert))) {
    const [bad, good] = casesOf(rule)
    expect([rule.alert, found(good), found(bad)]).toEqual([
      rule.alert,
      [],
      [[rule.alert, milliseconds(rule.for)]],
    ])
  }
})

test('a rule is marked `watch: product` if and only if the watch has it', async () => {
  const source = await readFile(join(ROOT, 'services/notifier/src/domain/rules.ts'), 'utf8')
  const names = [...source.matchAll(/'(Prelude\w+)'/g)].map(([, name]) => name)
  expect(new Set(watched.map(({ alert }) => alert))).toEqual(new Set([...names, 'PreludePaymentSuspicious']))
})
