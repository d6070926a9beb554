import { execFileSync, spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { obtainPrometheus } from '../../native/prometheus.ts'
import { whyMissing } from '../support/with-server.ts'
import { ALERT_CASES, type Series } from './alert-cases.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const SETTINGS = resolve(import.meta.dirname, '../../observability/prometheus')
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
    const changing = rules.filter(({ labels }) => labels.severity !== 'none')
    expect(Object.keys(ALERT_CASES).toSorted()).toEqual(changing.map(({ alert }) => alert).toSorted())
    expect(rules.filter((rule) => !changing.includes(rule)).map(({ alert }) => alert)).toEqual([
      'PreludeWatchdog',
    ])
  })

  test('each has a severity, a summary and a runbook in docs/operations.md', async () => {
    const page = await readFile(join(ROOT, 'docs/operations.md'), 'utf8')
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning', 'none']).toContain(labels.severity)
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

  test.for(['compose.yml', 'machine.yml'])('promtool accepts %s', (name) => {
    const checked = execFileSync('promtool', ['check', 'config', join(dir, name)], { encoding: 'utf8' })
    expect(checked).toContain('SUCCESS')
  })

  test('promtool accepts kubernetes.yml but for its discovery, which Debian builds without; that looks for our pods', async () => {
    const path = join(dir, 'kubernetes.yml')
    const text = await readFile(path, 'utf8')
    const { scrape_configs: jobs } = parse(text) as {
      scrape_configs: {
        kubernetes_sd_configs: object[]
        relabel_configs: { source_labels: string[]; regex?: string; action?: string }[]
      }[]
    }
    expect(jobs.map((job) => job.kubernetes_sd_configs)).toEqual([[{ role: 'pod' }]])
    const kept = jobs
      .flatMap((job) => job.relabel_configs)
      .filter(({ action }) => action === 'keep')
      .map(({ source_labels: labels, regex }) => [...labels, regex])
    expect(kept).toEqual([
      ['__meta_kubernetes_pod_label_app_kubernetes_io_part_of', 'prelude'],
      ['__meta_kubernetes_pod_container_port_name', 'internal'],
    ])
    // the label and the port that the pods have
    const k8s = (name: string) => readFile(join(ROOT, 'infra/k8s/base', name), 'utf8')
    expect(await k8s('kustomization.yaml')).toContain('app.kubernetes.io/part-of: prelude')
    expect(await k8s('songs.yaml')).toContain('name: internal')
    await writeFile(path, text.replace(/kubernetes_sd_configs: .*/, 'static_configs: []'))
    expect(execFileSync('promtool', ['check', 'config', path], { encoding: 'utf8' })).toContain('SUCCESS')
  })
})
