import { execFileSync, spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { obtainPrometheus } from '../../native/prometheus.ts'
import { whyMissing } from '../../native/test/with-server.ts'
import { ALERT_CASES, type Series } from './alert-cases.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const SETTINGS = resolve(import.meta.dirname, '../prometheus')
const FETCH_WITHIN_MS = 10 * 60_000

interface Rule {
  readonly alert: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

const file = parse(await readFile(join(SETTINGS, 'alerts.yml'), 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = file.groups.flatMap((group) => group.rules)

interface Case {
  readonly alert: string
  readonly series: Series
  readonly at: string
  readonly says: Readonly<Record<string, string>>
}

const selector = (labels: Readonly<Record<string, string>>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`

const missing = await whyMissing('Prometheus', obtainPrometheus)

describe('alerts', () => {
  test('each has a case in which it fires and one in which it stays quiet', () => {
    expect(Object.keys(ALERT_CASES).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted())
  })

  test('each has a severity, a summary and a runbook in docs/operations.md', async () => {
    const page = await readFile(join(ROOT, 'docs/operations.md'), 'utf8')
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels.severity)
      expect(annotations.summary).toMatch(/\w/)
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`)
      expect(page).toContain(`\n### ${alert}\n`)
    }
  })
})

describe.skipIf(missing !== null)('alerts in a real Prometheus', () => {
  let dir = ''
  beforeAll(async () => {
    await obtainPrometheus()
    dir = await mkdtemp(join(tmpdir(), 'prelude-alerts-'))
    await cp(SETTINGS, dir, { recursive: true })
  }, FETCH_WITHIN_MS)
  afterAll(() => rm(dir, { recursive: true, force: true }))

  /** Output of promtool for all cases, each with this number of firing alerts. */
  const verdictOn = async (name: string, cases: readonly Case[], firing: number): Promise<string> => {
    const path = join(dir, `${name}.yml`)
    const tests = {
      rule_files: [join(SETTINGS, 'alerts.yml')],
      evaluation_interval: '30s',
      tests: cases.map(({ alert, series, at, says }) => ({
        name: alert,
        interval: '30s',
        input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
        promql_expr_test: [
          {
            expr: `count(ALERTS${selector({ alertname: alert, alertstate: 'firing', ...says })}) or vector(0)`,
            eval_time: at,
            exp_samples: [{ labels: '{}', value: firing }],
          },
        ],
      })),
    }
    await writeFile(path, stringify(tests))
    const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', path], { encoding: 'utf8' })
    return stdout + stderr
  }

  test('each fires when it must, with the labels that locate the fault', async () => {
    const cases = Object.entries(ALERT_CASES).map(([alert, { fires, at, says = {} }]) => ({
      alert,
      series: fires,
      at,
      says,
    }))
    expect(await verdictOn('fires', cases, 1)).toContain('SUCCESS')
  })

  test('each stays quiet when it must', async () => {
    const cases = Object.entries(ALERT_CASES).map(([alert, { quiet, at }]) => ({
      alert,
      series: quiet,
      at,
      says: {},
    }))
    expect(await verdictOn('quiet', cases, 0)).toContain('SUCCESS')
  })

  test.for(['compose.yml', 'machine.yml', 'kubernetes.yml'])('promtool accepts %s', async (name) => {
    const path = join(dir, name)
    // Debian's build knows nothing of Kubernetes: everything but how its pods are found
    const settings = (await readFile(path, 'utf8')).replace(/kubernetes_sd_configs: .*/, 'static_configs: []')
    await writeFile(path, settings)
    expect(execFileSync('promtool', ['check', 'config', path], { encoding: 'utf8' })).toContain('SUCCESS')
  })
})
