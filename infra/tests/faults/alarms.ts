import { createLogger } from '@prelude/platform'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readSettings } from '../../embedded/settings.ts'
import { startPrometheus } from '../../native/prometheus.ts'
import { freePort } from '../../native/server-process.ts'
import { countsFor, startStack } from '../../stack/stack.ts'
import { ALARMS } from './alarms/all.ts'
import type { Alarm } from './alarms/alarm.ts'
import { checkAll, must, type Scene, settle, until } from './scene.ts'

/**
 * `make alarms [ONLY=word,word]`: causes the faults of the alerts on a stack of its own with a Prometheus beside it, and
 * checks that each alert fires and, after the repair in docs/operations/alerts.md, ends. Rules wait for seconds instead of minutes.
 */

const SETTINGS = resolve(import.meta.dirname, '../../observability/prometheus')
const FIRES_WITHIN_MS = 200_000
const ENDS_WITHIN_MS = 180_000

const words = (process.argv[2] ?? '').toLowerCase().split(',')
const alarms = ALARMS.filter(({ alerts, how }) => {
  const text = [...alerts, how].join(' ').toLowerCase()
  return words.some((word) => text.includes(word))
})
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const dir = await mkdtemp(join(tmpdir(), 'prelude-alarms-'))
const settings = readSettings({
  PORT: String(await freePort()),
  DATA_DIR: join(dir, 'stack'),
  RATE_LIMITS: 'off',
  LOG_LEVEL: 'warn',
  TRUSTED_COUNTRY_HEADER: 'x-country',
})
const logger = createLogger({ service: 'alarms', level: process.env['LOG_LEVEL'] ?? 'silent', pretty: false })
say(`Starting a stack and a Prometheus in ${dir}…`)
const stack = await startStack({ settings, counts: countsFor(1), withLinks: true, logger })
const prometheus = await startPrometheus({ dir: join(dir, 'prometheus'), config: await quickRules() })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    say(`Stopping: ${signal}`)
    void Promise.all([prometheus.stop(), stack.stop()]).then(() => process.exit(1))
  })
let failed = 0
try {
  await until('a quiet start', ENDS_WITHIN_MS, async () => {
    const early = await firing()
    if (early.length > 0) return `${early.join(', ')} fires`
    // a counter that is raised before its first scrape shows no increase
    return (await scraped()) === stack.instances.length ? null : 'not all instances are scraped'
  })
  for (const alarm of alarms) await outcomeOf(alarm)
} finally {
  await prometheus.stop()
  await stack.stop()
}
say(`${alarms.length - failed} of ${alarms.length} passed`)
if (failed === 0) await rm(dir, { recursive: true, force: true })
else say(`Logs and data: ${dir}`)
process.exit(failed === 0 ? 0 : 1)

async function outcomeOf({ alerts, how, withinMs, provoke, repair }: Alarm): Promise<void> {
  say(`\n${alerts.join(', ')}: ${how}`)
  const scene: Scene = { stack, note: (text) => say(`  ${text}`) }
  const began = Date.now()
  const since = (): string => `${Math.round((Date.now() - began) / 1000)} s`
  const seen = new Set<string>()
  try {
    await provoke(scene)
    await until('the alerts', withinMs ?? FIRES_WITHIN_MS, async () => {
      for (const name of await firing()) {
        if (!seen.has(name)) say(`  ${since()}: ${name} fires`)
        seen.add(name)
      }
      const missing = alerts.filter((name) => !seen.has(name))
      return missing.length === 0 ? null : missing.join(', ')
    })
    await repair(scene)
    const repaired = Date.now()
    await until('their end', withinMs ?? ENDS_WITHIN_MS, async () => {
      const left = await firing()
      return left.length === 0 ? null : left.join(', ')
    })
    say(`  quiet ${Math.round((Date.now() - repaired) / 1000)} s after the repair`)
    await settle(scene)
    await checkAll(scene)
    say('  invariants hold')
  } catch (error) {
    failed++
    say(`  FAILED: ${(error as Error).message}`)
    await Promise.resolve(repair(scene)).catch(() => {})
    await delay(5_000)
  }
}

/** The names of the firing alerts, without the one that always fires to show that alerts arrive. */
async function firing(): Promise<string[]> {
  const answer = await fetch(`${prometheus.url}/api/v1/alerts`)
  const { data } = (await answer.json()) as {
    data: { alerts: { state: string; labels: { alertname: string; severity: string } }[] }
  }
  const names = data.alerts
    .filter(({ state, labels }) => state === 'firing' && labels.severity !== 'none')
    .map(({ labels }) => labels.alertname)
  return [...new Set(names)]
}

async function scraped(): Promise<number> {
  const query = new URLSearchParams({ query: 'count(up == 1)' })
  const answer = await fetch(`${prometheus.url}/api/v1/query?${query.toString()}`)
  const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } }
  return Number(data.result[0]?.value[1] ?? 0)
}

/** Prometheus's configuration with short waits and windows in the rules; their conditions stay. */
async function quickRules(): Promise<string> {
  const rules = await readFile(join(SETTINGS, 'alerts.yml'), 'utf8')
  const quick = rules
    .replace(/for: \d+m/g, 'for: 5s')
    .replace(/(changes\(.*)\[15m\]/, '$1[2m]') // three starts take a minute
    .replace(/\[5m\]/g, '[30s]')
    .replace(/\[15m\]|\[30m\]|\[1h\]/g, '[60s]')
    .replace(/\[6h\]|\[1d\]|\[3d\]|\[7d\]/g, '[90s]')
  must(quick !== rules, 'the rules have no waits')
  await writeFile(join(dir, 'alerts.yml'), quick)
  const machine = await readFile(join(SETTINGS, 'machine.yml'), 'utf8')
  const config = machine
    .replace(/15s/g, '5s') // a service whose servers are down takes up to 4 s to answer a scrape
    .replace(/- files: \[.*\]/, `- files: ['${join(stack.dataDir, 'prometheus.json')}']`)
  await writeFile(join(dir, 'prometheus.yml'), config)
  return join(dir, 'prometheus.yml')
}
