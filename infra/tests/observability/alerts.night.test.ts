import { execFileSync, spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { findPrometheus } from '../servers/prometheus.ts'
import { whyMissing } from '../support/with-server.ts'
import { ALERT_CASES } from './alert-cases.ts'
import { ALERT_RULES } from './alert-rules.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const SETTINGS = resolve(import.meta.dirname, '../../observability/prometheus')

type Case = (typeof ALERT_CASES)[number]

const selector = (labels: Readonly<Record<string, string>>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`

const missing = await whyMissing('Prometheus', findPrometheus)

describe.skipIf(missing !== null)('alerts in a real Prometheus', () => {
  let dir = ''
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'prelude-alerts-'))
    await cp(SETTINGS, dir, { recursive: true })
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  /** Writes the case for promtool: for these series its alert fires, or does not. */
  async function writeCase(
    name: string,
    firing: boolean,
    { alert, says, at, every = '30s', ...series }: Case,
  ) {
    const rule = `${name}.rule.yml` // without the others, whose evaluation takes most of the time
    const alone = ALERT_RULES.filter((one) => one.alert === alert)
    await writeFile(join(dir, rule), stringify({ groups: [{ name: 'one', rules: alone }] }))
    const labels = selector({ alertname: alert, alertstate: 'firing', ...(firing && says) })
    const values = Object.entries(firing ? series.fires : series.quiet)
    const tests = {
      rule_files: [rule],
      evaluation_interval: every,
      tests: [
        {
          name: alert,
          interval: every,
          input_series: values.map(([one, values]) => ({ series: one, values })),
          promql_expr_test: [
            {
              expr: `count(ALERTS${labels}) or vector(0)`,
              eval_time: at,
              exp_samples: [{ labels: '{}', value: firing ? 1 : 0 }],
            },
          ],
        },
      ],
    }
    await writeFile(join(dir, `${name}.yml`), stringify(tests))
    return `${name}.yml`
  }

  /** Output and exit code of promtool for all cases. */
  const verdictOn = async (firing: boolean): Promise<string> => {
    const files = ALERT_CASES.map((one) =>
      writeCase(`${firing ? 'fires' : 'quiet'}-${one.alert}-${one.n}`, firing, one),
    )
    const args = ['test', 'rules', ...(await Promise.all(files))]
    const { stdout, stderr, status } = spawnSync('promtool', args, { encoding: 'utf8', cwd: dir })
    return `${stdout + stderr}exit code ${status}`
  }

  test('each fires when it must, with the labels that locate the fault', async () => {
    expect(await verdictOn(true)).toMatch(/exit code 0$/)
  })

  test('each stays quiet when it must', async () => {
    expect(await verdictOn(false)).toMatch(/exit code 0$/)
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
